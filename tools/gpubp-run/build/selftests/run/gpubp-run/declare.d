build/selftests/run/gpubp-run/declare.o: declare.c parse.h script.h lex.h \
 gpubp_run.h /var/tmp/wt/H/include/uapi/linux/gpubp.h \
 /var/tmp/wt/H/include/uapi/linux/gpubp_sim.h types.h
