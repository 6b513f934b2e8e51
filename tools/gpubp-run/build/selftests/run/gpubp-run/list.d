build/selftests/run/gpubp-run/list.o: list.c list.h gpubp_run.h \
 /var/tmp/wt/H/include/uapi/linux/gpubp.h \
 /var/tmp/wt/H/include/uapi/linux/gpubp_sim.h
