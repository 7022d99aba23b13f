# error against time per impact: bench_impact FILE, then gnuplot -e "data='FILE'; out='picture.png'" of this file
set terminal pngcairo size 900,460 font "sans,11"
set output out
set logscale xy
set format x "10^{%L}"
set format y "10^{%L}"
set xlabel "microseconds per impact"
set ylabel "largest error of a velocity"
# one legend below both panels, away from the curves
set key at screen 0.5, screen 0.03 bottom center horizontal maxrows 1 samplen 2 width -3
set bmargin 6
set grid lc rgb '#dddddd' lt 1 lw 0.5
set border 3
set tics nomirror
set multiplot layout 1,2
do for [balls in "5 50"] {
  set title sprintf("%s balls in a row, Hertz contacts, e = 1", balls)
  plot sprintf("< awk '$1 == \"carom\" && $2 == %s' %s", balls, data) using 4:3 \
         with linespoints pt 7 lw 1.5 lc rgb '#0072b2' title "Carom", \
       sprintf("< awk '$1 == \"march\" && $2 == %s' %s", balls, data) using 4:3 \
         with linespoints pt 5 lw 1.5 dt 2 lc rgb '#e69f00' title "march, plain C", \
       sprintf("< awk '$1 == \"siconos\" && $2 == %s' %s", balls, data) using 4:3 \
         with linespoints pt 9 lw 1.5 dt 4 lc rgb '#a0306a' title "Siconos"
  unset key
}
unset multiplot
