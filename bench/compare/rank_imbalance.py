#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How evenly states would lie on so many ranks: the states of a checkpoint by the first bits of their
fingerprints. Of all states, and of each level, because ranks wait for each other at least there: a
level takes as long as the rank that has most of it.

    rank_imbalance.py CHECKPOINT

The checkpoint is of a search whose states are one word each, in memory (`--checkpoint`).
"""

import array
import os
import struct
import sys

SHARD_BITS = 5
INDEX_BITS = 32 - SHARD_BITS
INDEX_MASK = (1 << INDEX_BITS) - 1
NO_STATE = 0xFFFFFFFF
RANKS_MOST = 64  # a power of two


def sections(path):
    with open(path, "rb") as file:
        if file.read(6) != b"LKCKPT":
            raise SystemExit(f"{path}: no checkpoint")
        file.read(2)
        length = os.fstat(file.fileno()).st_size
        while len(head := file.read(8)) == 8:
            size = struct.unpack("<Q", head)[0]
            if size > length - file.tell():
                return  # the checksum
            yield file.read(size)


def states_of(path):
    """Records and parents of each shard: the last sections, five a shard."""
    last = list(sections(path))[-5 * (1 << SHARD_BITS):]
    if any(len(last[i + 4]) != 24 or len(last[i]) != 2 * len(last[i + 1]) for i in range(0, len(last), 5)):
        raise SystemExit(f"{path}: states are not one word each")
    return ([array.array("Q", last[i]) for i in range(0, len(last), 5)],
            [array.array("I", last[i + 1]) for i in range(0, len(last), 5)])


def states_of_levels(records, parents):
    """For each level, how many states each of RANKS_MOST ranks has. In a shard, levels follow each other."""
    shift = 64 - (RANKS_MOST.bit_length() - 1)
    depths = [array.array("H", bytes(2 * len(shard))) for shard in parents]
    done = [0] * len(parents)
    levels = []
    while done != [len(shard) for shard in parents]:
        level = len(levels)
        counts = [0] * RANKS_MOST
        for shard, of_shard in enumerate(parents):
            depth = depths[shard]
            at = done[shard]
            for at in range(done[shard], len(of_shard) + 1):
                if at == len(of_shard):
                    break
                parent = of_shard[at]
                if parent == NO_STATE:
                    parent_depth = -1
                else:
                    from_shard = parent >> INDEX_BITS
                    index = parent & INDEX_MASK
                    parent_depth = depths[from_shard][index] if index < done[from_shard] else level
                if parent_depth >= level:
                    break
                depth[at] = level
                counts[records[shard][at] >> shift] += 1
            done[shard] = at
        levels.append(counts)
    return levels


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    levels = states_of_levels(*states_of(sys.argv[1]))
    states = sum(map(sum, levels))
    print(f"{states:,} states, {len(levels)} levels, the largest of {max(map(sum, levels)):,} states")
    count = RANKS_MOST
    while count > 1:
        of_ranks = [sum(level[rank] for level in levels) for rank in range(count)]
        slowest = sum(map(max, levels))
        print(f"{count} ranks: the fullest has {max(of_ranks) * count / states:.3f} of the mean; waiting "
              f"level by level, {states / count / slowest:.3f} of the time is work")
        count //= 2
        levels = [[level[2 * rank] + level[2 * rank + 1] for rank in range(count)] for level in levels]


if __name__ == "__main__":
    main()
