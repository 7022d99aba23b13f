# The pictures of `make run`, from the tables in out/: gnuplot -e "out='out'" scripts/tour.gp
set datafile separator ","
set datafile missing "nan"
file(name) = out."/".name."/series.csv"
events(name) = out."/".name."/events.csv"

set style line 1 lc rgb "#1b4f72" lw 1.6
set style line 2 lc rgb "#c0392b" lw 1.6
set style line 3 lc rgb "#7f8c8d" lw 1.0
set border 3 lc rgb "#444444"
set tics nomirror textcolor rgb "#444444"
set grid lc rgb "#e5e5e5"
unset key

# --- the frictional impact oscillator, one page ---
set terminal pngcairo size 1200,460 font "DejaVu Sans,11"
set output out."/oscillator.png"
set multiplot layout 1,2
set lmargin 9
set title "Hopping over a moving belt: height of the tip"
set xlabel "time, s"
set ylabel "gap, mm"
set xrange [58.6:60]
set yrange [-1:25]
set key top center horizontal Left reverse samplen 1 width 2
plot file("frictional_impact_oscillator") using "t":(column("tip_y")*1000) with lines ls 1 notitle, \
     events("frictional_impact_oscillator") using (strcol("kind") eq "impact" ? column("t") : NaN):(0) with points pt 7 ps 1.1 lc rgb "#c0392b" title "impact", \
     events("frictional_impact_oscillator") using (strcol("kind") eq "slip" ? column("t") : NaN):(0) with points pt 5 ps 0.9 lc rgb "#d68910" title "stick ends in slip", \
     events("frictional_impact_oscillator") using (strcol("kind") eq "open" ? column("t") : NaN):(0) with points pt 9 ps 1.2 lc rgb "#1e8449" title "lift-off"
unset key
set title "The same motion in the phase plane of the arm"
set xlabel "angle, rad"
set ylabel "angular velocity, rad/s"
set xrange [*:*]
set yrange [*:*]
plot file("frictional_impact_oscillator") using (column("t") > 50 ? column("phi") : NaN):"phi'" with lines ls 1
unset multiplot

# --- a tour ---
set terminal pngcairo size 1500,900 font "DejaVu Sans,10"
set output out."/tour.png"
set multiplot layout 2,3
set title "Bouncing ball: impacts accumulate, the contact closes"
set xlabel "time, s"
set ylabel "height, m"
plot file("bouncing_ball") using 1:2 with lines ls 1
set title "Block on a belt: stick and slip"
set ylabel "position, m"
plot file("belt_block") using "t":2 with lines ls 1
set title "Double pendulum: path of the lower bob"
set xlabel "x, m"
set ylabel "y, m"
set size ratio -1
plot file("double_pendulum") using "x2":"y2" with lines ls 3
set size noratio
set title "Forced Duffing oscillator: phase plane and strokes"
set xlabel "x"
set ylabel "x'"
plot file("duffing") using 2:3 with lines ls 3, \
     events("duffing") using (strcol("name") eq "stroke" ? column(7) : NaN):8 with points pt 7 ps 0.7 lc rgb "#c0392b"
set title "Slider-crank striking a stop"
set xlabel "time, s"
set ylabel "crank speed, rad/s"
plot file("slider_crank_stop") using "t":(column(4)) with lines ls 1
set title "Woodpecker toy: sleeve sliding down its pole"
set ylabel "height, m"
plot file("woodpecker") using "t":2 with lines ls 1
unset multiplot
