/* SPDX-License-Identifier: GPL-2.0 */
/*
 * OpenCL C's functions, for gpubp-cc: those that every kernel has, and simple ones.
 * Clang declares the rest, and libclc defines it. What is defined here hides clang's
 * declarations of the same name, so its other types are declared here, too.
 *
 * Sizes come from the dispatch packet, which is the same for every version of code
 * objects, unlike hidden arguments.
 */
#ifndef GPUBP_OPENCL_H
#define GPUBP_OPENCL_H

/* without debug information: instructions belong to the line of the call */
#define GPUBP_FN static inline __attribute__((overloadable, always_inline, nodebug))

/*
 * Work-items. A dimension that there is not has one work-item, number 0.
 */

struct gpubp_packet {
	ushort header, setup, workgroup[3], reserved;
	uint grid[3];
};

GPUBP_FN __constant const struct gpubp_packet *gpubp_packet(void)
{
	return (__constant const struct gpubp_packet *)__builtin_amdgcn_dispatch_ptr();
}

GPUBP_FN size_t get_global_size(uint dim)
{
	return dim < 3 ? gpubp_packet()->grid[dim] : 1;
}

GPUBP_FN size_t get_enqueued_local_size(uint dim)
{
	return dim < 3 ? gpubp_packet()->workgroup[dim] : 1;
}

GPUBP_FN size_t get_group_id(uint dim)
{
	switch (dim) {
	case 0:
		return (uint)__builtin_amdgcn_workgroup_id_x();
	case 1:
		return (uint)__builtin_amdgcn_workgroup_id_y();
	case 2:
		return (uint)__builtin_amdgcn_workgroup_id_z();
	default:
		return 0;
	}
}

GPUBP_FN size_t get_local_id(uint dim)
{
	switch (dim) {
	case 0:
		return (uint)__builtin_amdgcn_workitem_id_x();
	case 1:
		return (uint)__builtin_amdgcn_workitem_id_y();
	case 2:
		return (uint)__builtin_amdgcn_workitem_id_z();
	default:
		return 0;
	}
}

/* the last workgroup of a dimension may be smaller */
GPUBP_FN size_t get_local_size(uint dim)
{
	uint size = get_enqueued_local_size(dim);
	uint rest = (uint)get_global_size(dim) - (uint)get_group_id(dim) * size;

	return rest < size ? rest : size;
}

GPUBP_FN size_t get_num_groups(uint dim)
{
	uint size = get_enqueued_local_size(dim), grid = get_global_size(dim);

	return grid / size + (grid % size != 0);
}

GPUBP_FN size_t get_global_offset(uint dim)
{
	return 0;
}

GPUBP_FN size_t get_global_id(uint dim)
{
	return (uint)get_group_id(dim) * (uint)get_enqueued_local_size(dim) +
	       (uint)get_local_id(dim);
}

GPUBP_FN uint get_work_dim(void)
{
	return get_global_size(2) > 1 ? 3 : get_global_size(1) > 1 ? 2 : 1;
}

/*
 * Barriers and fences
 */

GPUBP_FN void mem_fence(cl_mem_fence_flags flags)
{
	__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
}

GPUBP_FN void read_mem_fence(cl_mem_fence_flags flags)
{
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

GPUBP_FN void write_mem_fence(cl_mem_fence_flags flags)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
}

GPUBP_FN void __attribute__((convergent)) barrier(cl_mem_fence_flags flags)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/*
 * Atomics of OpenCL 1.2, and of its extensions for 64 bits: relaxed, as there
 */

#define GPUBP_ATOMIC(name, op, space, type)					\
GPUBP_FN type atomic_##name(volatile space type *p, type val)			\
{										\
	return __atomic_fetch_##op(p, val, __ATOMIC_RELAXED);			\
}										\
GPUBP_FN type atom_##name(volatile space type *p, type val)			\
{										\
	return __atomic_fetch_##op(p, val, __ATOMIC_RELAXED);			\
}

#define GPUBP_ATOMICS(space, type)						\
GPUBP_ATOMIC(add, add, space, type)						\
GPUBP_ATOMIC(sub, sub, space, type)						\
GPUBP_ATOMIC(and, and, space, type)						\
GPUBP_ATOMIC(or, or, space, type)						\
GPUBP_ATOMIC(xor, xor, space, type)						\
GPUBP_ATOMIC(min, min, space, type)						\
GPUBP_ATOMIC(max, max, space, type)						\
GPUBP_FN type atomic_xchg(volatile space type *p, type val)			\
{										\
	return __atomic_exchange_n(p, val, __ATOMIC_RELAXED);			\
}										\
GPUBP_FN type atomic_cmpxchg(volatile space type *p, type old, type val)	\
{										\
	__atomic_compare_exchange_n(p, &old, val, false, __ATOMIC_RELAXED,	\
				    __ATOMIC_RELAXED);				\
	return old;								\
}										\
GPUBP_FN type atomic_inc(volatile space type *p)				\
{										\
	return __atomic_fetch_add(p, (type)1, __ATOMIC_RELAXED);		\
}										\
GPUBP_FN type atomic_dec(volatile space type *p)				\
{										\
	return __atomic_fetch_sub(p, (type)1, __ATOMIC_RELAXED);		\
}										\
GPUBP_FN type atom_xchg(volatile space type *p, type val)			\
{										\
	return atomic_xchg(p, val);						\
}										\
GPUBP_FN type atom_cmpxchg(volatile space type *p, type old, type val)		\
{										\
	return atomic_cmpxchg(p, old, val);					\
}										\
GPUBP_FN type atom_inc(volatile space type *p)					\
{										\
	return atomic_inc(p);							\
}										\
GPUBP_FN type atom_dec(volatile space type *p)					\
{										\
	return atomic_dec(p);							\
}

#define GPUBP_ATOMIC_TYPES(space)						\
GPUBP_ATOMICS(space, int)							\
GPUBP_ATOMICS(space, uint)							\
GPUBP_ATOMICS(space, long)							\
GPUBP_ATOMICS(space, ulong)							\
GPUBP_FN float atomic_xchg(volatile space float *p, float val)			\
{										\
	return as_float(atomic_xchg((volatile space uint *)p, as_uint(val)));	\
}

GPUBP_ATOMIC_TYPES(__global)
GPUBP_ATOMIC_TYPES(__local)

/*
 * Functions of each element: F(scalar type, type) for scalars and vectors
 */

#define GPUBP_VECTORS(F, t)	F(t, t) F(t, t##2) F(t, t##3) F(t, t##4) \
				F(t, t##8) F(t, t##16)
#define GPUBP_SIGNED(F)		GPUBP_VECTORS(F, char) GPUBP_VECTORS(F, short) \
				GPUBP_VECTORS(F, int) GPUBP_VECTORS(F, long)
#define GPUBP_UNSIGNED(F)	GPUBP_VECTORS(F, uchar) GPUBP_VECTORS(F, ushort) \
				GPUBP_VECTORS(F, uint) GPUBP_VECTORS(F, ulong)
#define GPUBP_FLOATS(F)		GPUBP_VECTORS(F, float) GPUBP_VECTORS(F, double)

/* the second function of a vector and a scalar, as OpenCL C has it */
#define GPUBP_ORDER(t, type)							\
GPUBP_FN type min(type a, type b)						\
{										\
	return b < a ? b : a;							\
}										\
GPUBP_FN type max(type a, type b)						\
{										\
	return a < b ? b : a;							\
}										\
GPUBP_FN type clamp(type x, type low, type high)				\
{										\
	return min(max(x, low), high);						\
}

#define GPUBP_ORDER_SCALAR(t, type)						\
GPUBP_FN type min(type a, t b)							\
{										\
	return min(a, (type)b);							\
}										\
GPUBP_FN type max(type a, t b)							\
{										\
	return max(a, (type)b);							\
}										\
GPUBP_FN type clamp(type x, t low, t high)					\
{										\
	return clamp(x, (type)low, (type)high);					\
}

#define GPUBP_ORDERED(F)	GPUBP_SIGNED(F) GPUBP_UNSIGNED(F) GPUBP_FLOATS(F)
#define GPUBP_ONLY_VECTORS(t)							\
GPUBP_ORDER_SCALAR(t, t##2) GPUBP_ORDER_SCALAR(t, t##3)				\
GPUBP_ORDER_SCALAR(t, t##4) GPUBP_ORDER_SCALAR(t, t##8)				\
GPUBP_ORDER_SCALAR(t, t##16)

GPUBP_ORDERED(GPUBP_ORDER)
GPUBP_ONLY_VECTORS(char) GPUBP_ONLY_VECTORS(uchar)
GPUBP_ONLY_VECTORS(short) GPUBP_ONLY_VECTORS(ushort)
GPUBP_ONLY_VECTORS(int) GPUBP_ONLY_VECTORS(uint)
GPUBP_ONLY_VECTORS(long) GPUBP_ONLY_VECTORS(ulong)
GPUBP_ONLY_VECTORS(float) GPUBP_ONLY_VECTORS(double)

/* integers */

#define GPUBP_INTEGER(t, type)							\
GPUBP_FN type mul24(type a, type b)						\
{										\
	return (a << 8 >> 8) * (b << 8 >> 8);					\
}										\
GPUBP_FN type mad24(type a, type b, type c)					\
{										\
	return mul24(a, b) + c;							\
}

GPUBP_VECTORS(GPUBP_INTEGER, int)
GPUBP_VECTORS(GPUBP_INTEGER, uint)

#define GPUBP_ABS(t)								\
GPUBP_FN u##t abs(t x)								\
{										\
	return x < 0 ? -(u##t)x : (u##t)x;					\
}										\
GPUBP_FN u##t abs(u##t x)							\
{										\
	return x;								\
}

GPUBP_ABS(char)
GPUBP_ABS(short)
GPUBP_ABS(int)
GPUBP_ABS(long)

#define GPUBP_BITS(t, u, bits, popc, lead)					\
GPUBP_FN t popcount(t x)							\
{										\
	return popc((u)x);							\
}										\
GPUBP_FN t clz(t x)								\
{										\
	return x ? lead((u)x) - (int)(8 * sizeof(u) - bits) : bits;		\
}										\
GPUBP_FN t rotate(t x, t n)							\
{										\
	return (u)x << (n & (bits - 1)) | (u)x >> (-n & (bits - 1));		\
}

GPUBP_BITS(int, uint, 32, __builtin_popcount, __builtin_clz)
GPUBP_BITS(uint, uint, 32, __builtin_popcount, __builtin_clz)
GPUBP_BITS(long, ulong, 64, __builtin_popcountl, __builtin_clzl)
GPUBP_BITS(ulong, ulong, 64, __builtin_popcountl, __builtin_clzl)

GPUBP_FN int mul_hi(int a, int b)
{
	return (long)a * b >> 32;
}

GPUBP_FN uint mul_hi(uint a, uint b)
{
	return (ulong)a * b >> 32;
}

/* floating point */

#define GPUBP_SPLIT1(f, x)	f(x)
#define GPUBP_SPLIT2(f, x)	f((x).lo), f((x).hi)
#define GPUBP_SPLIT3(f, x)	f((x).s0), f((x).s1), f((x).s2)

/* NAME(x) of each element by a builtin for a scalar */
#define GPUBP_UNARY(name, t, builtin)						\
GPUBP_FN t name(t x)								\
{										\
	return builtin(x);							\
}										\
GPUBP_FN t##2 name(t##2 x) { return (t##2)(GPUBP_SPLIT2(name, x)); }		\
GPUBP_FN t##3 name(t##3 x) { return (t##3)(GPUBP_SPLIT3(name, x)); }		\
GPUBP_FN t##4 name(t##4 x) { return (t##4)(GPUBP_SPLIT2(name, x)); }		\
GPUBP_FN t##8 name(t##8 x) { return (t##8)(GPUBP_SPLIT2(name, x)); }		\
GPUBP_FN t##16 name(t##16 x) { return (t##16)(GPUBP_SPLIT2(name, x)); }

#define GPUBP_MATH(name, builtin)						\
GPUBP_UNARY(name, float, __builtin_##builtin##f)				\
GPUBP_UNARY(name, double, __builtin_##builtin)

GPUBP_MATH(fabs, fabs)
GPUBP_MATH(sqrt, sqrt)
GPUBP_MATH(floor, floor)
GPUBP_MATH(ceil, ceil)
GPUBP_MATH(trunc, trunc)
GPUBP_MATH(rint, rint)
GPUBP_MATH(round, round)
GPUBP_UNARY(native_sqrt, float, __builtin_amdgcn_sqrtf)
GPUBP_UNARY(native_rsqrt, float, __builtin_amdgcn_rsqf)
GPUBP_UNARY(native_recip, float, __builtin_amdgcn_rcpf)

#define GPUBP_FLOAT(t, type)							\
GPUBP_FN type mad(type a, type b, type c)					\
{										\
	return a * b + c;							\
}										\
GPUBP_FN type mix(type a, type b, type c)					\
{										\
	return a + (b - a) * c;							\
}										\
GPUBP_FN type fmin(type a, type b)						\
{										\
	return b < a || a != a ? b : a;						\
}										\
GPUBP_FN type fmax(type a, type b)						\
{										\
	return a < b || a != a ? b : a;						\
}										\
GPUBP_FN type rsqrt(type x)							\
{										\
	return (type)1 / sqrt(x);						\
}

GPUBP_FLOATS(GPUBP_FLOAT)

GPUBP_FN float fma(float a, float b, float c)
{
	return __builtin_fmaf(a, b, c);
}

GPUBP_FN double fma(double a, double b, double c)
{
	return __builtin_fma(a, b, c);
}

GPUBP_FN int isnan(float x)
{
	return x != x;
}

GPUBP_FN int isinf(float x)
{
	return __builtin_fabsf(x) == INFINITY;
}

#define GPUBP_GEOMETRY(t)							\
GPUBP_FN t dot(t a, t b) { return a * b; }					\
GPUBP_FN t dot(t##2 a, t##2 b) { return a.x * b.x + a.y * b.y; }		\
GPUBP_FN t dot(t##3 a, t##3 b) { return dot(a.xy, b.xy) + a.z * b.z; }		\
GPUBP_FN t dot(t##4 a, t##4 b) { return dot(a.xy, b.xy) + dot(a.zw, b.zw); }	\
GPUBP_FN t length(t a) { return fabs(a); }					\
GPUBP_FN t length(t##2 a) { return sqrt(dot(a, a)); }				\
GPUBP_FN t length(t##3 a) { return sqrt(dot(a, a)); }				\
GPUBP_FN t length(t##4 a) { return sqrt(dot(a, a)); }

GPUBP_GEOMETRY(float)
GPUBP_GEOMETRY(double)

/*
 * The other types of what is defined above for some: libclc has them
 */

#define GPUBP_LIB __attribute__((overloadable))

#define GPUBP_LIB_BITS(t, type)							\
GPUBP_LIB type popcount(type x);						\
GPUBP_LIB type clz(type x);							\
GPUBP_LIB type rotate(type x, type n);						\
GPUBP_LIB type mul_hi(type a, type b);

#define GPUBP_LIB_ABS(t, type)							\
GPUBP_LIB u##type abs(type x);							\
GPUBP_LIB u##type abs(u##type x);

#define GPUBP_LIB_FMA(t, type)							\
GPUBP_LIB type fma(type a, type b, type c);

#define GPUBP_LIB_CLASS(n)							\
GPUBP_LIB int##n isnan(float##n x);						\
GPUBP_LIB int##n isinf(float##n x);						\
GPUBP_LIB long##n isnan(double##n x);						\
GPUBP_LIB long##n isinf(double##n x);

GPUBP_SIGNED(GPUBP_LIB_BITS)
GPUBP_UNSIGNED(GPUBP_LIB_BITS)
GPUBP_SIGNED(GPUBP_LIB_ABS)
GPUBP_FLOATS(GPUBP_LIB_FMA)
GPUBP_LIB_CLASS(2) GPUBP_LIB_CLASS(3) GPUBP_LIB_CLASS(4)
GPUBP_LIB_CLASS(8) GPUBP_LIB_CLASS(16)
GPUBP_LIB int isnan(double x);
GPUBP_LIB int isinf(double x);

/*
 * From OpenCL C 2.0 on clang declares these for generic pointers only, and libclc
 * has them for each address space
 */
#if __OPENCL_C_VERSION__ >= 200

#define GPUBP_LIB_LOAD(t, n, space)						\
GPUBP_LIB t##n vload##n(size_t i, const space t *p);

#define GPUBP_LIB_MEMORY(t, n, space)						\
GPUBP_LIB_LOAD(t, n, space)							\
GPUBP_LIB void vstore##n(t##n x, size_t i, space t *p);

#define GPUBP_LIB_PARTS(t, n, space)						\
GPUBP_LIB t##n fract(t##n x, space t##n *p);					\
GPUBP_LIB t##n modf(t##n x, space t##n *p);					\
GPUBP_LIB t##n sincos(t##n x, space t##n *p);					\
GPUBP_LIB t##n frexp(t##n x, space int##n *p);					\
GPUBP_LIB t##n lgamma_r(t##n x, space int##n *p);				\
GPUBP_LIB t##n remquo(t##n x, t##n y, space int##n *p);

#define GPUBP_SIZES(F, t, space)						\
F(t, 2, space) F(t, 3, space) F(t, 4, space) F(t, 8, space) F(t, 16, space)

#define GPUBP_SPACES(F, t)	GPUBP_SIZES(F, t, __global) GPUBP_SIZES(F, t, __local) \
				GPUBP_SIZES(F, t, __private)

#define GPUBP_LIB_POINTERS(t)							\
GPUBP_SPACES(GPUBP_LIB_MEMORY, t)						\
GPUBP_SIZES(GPUBP_LIB_LOAD, t, __constant)

#define GPUBP_LIB_MATH(t)							\
GPUBP_SPACES(GPUBP_LIB_PARTS, t)						\
GPUBP_LIB_PARTS(t, , __global) GPUBP_LIB_PARTS(t, , __local)			\
GPUBP_LIB_PARTS(t, , __private)

GPUBP_LIB_POINTERS(char) GPUBP_LIB_POINTERS(uchar)
GPUBP_LIB_POINTERS(short) GPUBP_LIB_POINTERS(ushort)
GPUBP_LIB_POINTERS(int) GPUBP_LIB_POINTERS(uint)
GPUBP_LIB_POINTERS(long) GPUBP_LIB_POINTERS(ulong)
GPUBP_LIB_POINTERS(float) GPUBP_LIB_POINTERS(double)
GPUBP_LIB_MATH(float)
GPUBP_LIB_MATH(double)

#endif

/*
 * Nothing prints
 */

int printf(__constant const char *format, ...) __attribute__((unavailable(
	"the software GPU has none: store into a buffer, and print that")));

/*
 * Conversions: to a scalar type or a vector of as many elements
 */

#define convert_char(x)		((char)(x))
#define convert_uchar(x)	((uchar)(x))
#define convert_short(x)	((short)(x))
#define convert_ushort(x)	((ushort)(x))
#define convert_int(x)		((int)(x))
#define convert_uint(x)		((uint)(x))
#define convert_long(x)		((long)(x))
#define convert_ulong(x)	((ulong)(x))
#define convert_float(x)	((float)(x))
#define convert_double(x)	((double)(x))
#define convert_int2(x)		__builtin_convertvector(x, int2)
#define convert_int3(x)		__builtin_convertvector(x, int3)
#define convert_int4(x)		__builtin_convertvector(x, int4)
#define convert_uint2(x)	__builtin_convertvector(x, uint2)
#define convert_uint3(x)	__builtin_convertvector(x, uint3)
#define convert_uint4(x)	__builtin_convertvector(x, uint4)
#define convert_float2(x)	__builtin_convertvector(x, float2)
#define convert_float3(x)	__builtin_convertvector(x, float3)
#define convert_float4(x)	__builtin_convertvector(x, float4)

#endif /* GPUBP_OPENCL_H */
