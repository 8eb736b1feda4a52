// The documents of the search workloads, as Sources/FreeholdBench/Documents.swift has them.
#pragma once
#include "common.hpp"
#include <string>
#include <vector>

namespace bench {

// The word of each rank: its digits to base 80 as syllables, two of them at least.
struct Words {
    static constexpr int RANKS = 1 << 17;
    std::vector<std::string> words;

    Words()
    {
        for (int rank = 0; rank < RANKS; rank++)
            words.push_back(word(rank));
    }
    static std::string word(int rank)
    {
        std::string text;
        for (int rest = rank + 80; rest > 0; rest /= 80) {
            const int syllable = rest % 80;
            text = std::string{"bdfgklmnprstvzjh"[syllable / 5], "aeiou"[syllable % 5]} + text;
        }
        return text;
    }
    const std::string& operator[](size_t rank) const { return words[rank]; }
};

// A document has 20 to 120 words. Of each the number of its rank's bits is drawn, 1 to 17, then the rank.
struct Documents {
    SplitMix64 stream{77};

    std::string next(const Words& words)
    {
        const int count = 20 + int(stream.next() % 101);
        std::string text;
        for (int place = 0; place < count; place++) {
            const uint64_t bits = 1 + stream.next() % 17, rank = stream.next() % (uint64_t(1) << bits);
            if (place > 0)
                text += ' ';
            text += words[rank];
        }
        return text;
    }
};

} // namespace bench
