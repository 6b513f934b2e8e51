build/selftests/run/gpubp-run/err.o: err.c gpubp_run.h \
 /var/tmp/wt/H/include/uapi/linux/gpubp.h \
 /var/tmp/wt/H/include/uapi/linux/gpubp_sim.h
