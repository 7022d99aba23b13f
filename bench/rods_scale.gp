# cost of a rod-step against the number of rods: bench_rods --scale 1.1e6 > FILE, then
# gnuplot -e "data='FILE'; out='picture.png'" of this file
set terminal pngcairo size 760,460 font "sans,11"
set output out
set logscale xy
set format x "10^{%L}"
set xlabel "rods"
set ylabel "ns a rod and step"
set xrange [700:1.5e6]
set yrange [2:5000]
set datafile missing "-"
set grid lc rgb '#dddddd' lt 1 lw 0.5
set border 3
set tics nomirror
set key at screen 0.5, screen 0.02 bottom center horizontal samplen 2
set bmargin 7.5
plot data using 1:8 every ::1 with linespoints pt 5 lw 1.5 lc rgb '#e69f00' title "LAMMPS, clumps of 18 spheres", \
     data using 1:4 every ::1 with linespoints pt 7 lw 1.5 lc rgb '#0072b2' title "Carom, one core, shaken pack", \
     data using 1:7 every ::1 with lines dt 2 lw 1.5 lc rgb '#999999' title "memory alone: 200 bytes a rod read and written once"
