# error against time per impact: bench_impact FILE, then gnuplot -e "data='FILE'; out='picture.png'" of this file
set terminal pngcairo size 900,420 font "sans,11"
set output out
set logscale xy
set format x "10^{%L}"
set format y "10^{%L}"
set xlabel "microseconds per impact"
set ylabel "largest error of a velocity"
set key top right
set grid
set multiplot layout 1,2
do for [balls in "5 50"] {
  set title sprintf("%s balls in a row, Hertz contacts, e = 1", balls)
  plot sprintf("< awk '$1 == \"carom\" && $2 == %s' %s", balls, data) using 4:3 with linespoints pt 7 title "Carom", \
       sprintf("< awk '$1 == \"march\" && $2 == %s' %s", balls, data) using 4:3 with linespoints pt 5 title "march, plain C", \
       sprintf("< awk '$1 == \"siconos\" && $2 == %s' %s", balls, data) using 4:3 with linespoints pt 9 title "Siconos"
}
unset multiplot
