build/selftests/run/gpubp-run/msgpack.o: msgpack.c msgpack.h
