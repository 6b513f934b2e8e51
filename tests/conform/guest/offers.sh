# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154
#
# Processes that offer contexts of an AMD GPU to a suite; sourced behind lib.sh.

# contexts at once that a case may need
at_once=4

# ROCr: signals in memory, copies by shaders
export HSA_ENABLE_INTERRUPT=0 HSA_ENABLE_SDMA=0
export HSA_USERPTR_FOR_PAGED_MEM=0

# a command that may be set before
offer=${offer-offer}

# Processes that offer a context each, one after the other: each case takes others.
offers()
{
	while [ -e "$tmp/offers" ]; do
		$offer "$@" >>"$tmp/offer.log" 2>&1 || sleep 1
	done
}

# start_offers [device]
start_offers()
{
	: >"$tmp/offers"
	for _ in $(seq $at_once); do
		offers "$@" &
	done
}

# Those whose context no case took are still there.
stop_offers()
{
	rm -f "$tmp/offers"
	while killall offer 2>/dev/null; do
		sleep 1
	done
	wait
	grep '^offer: ' "$tmp/offer.log" | sort | uniq -c | sed 's/^/# /'
	rm "$tmp/offer.log"
}
