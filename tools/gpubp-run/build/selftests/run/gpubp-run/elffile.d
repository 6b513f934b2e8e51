build/selftests/run/gpubp-run/elffile.o: elffile.c elffile.h gpubp_run.h \
 /var/tmp/wt/H/include/uapi/linux/gpubp.h \
 /var/tmp/wt/H/include/uapi/linux/gpubp_sim.h
