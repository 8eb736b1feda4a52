// Written by tools/unicode/word_breaks.py from the Unicode Character Database, © Unicode, Inc., used under the terms of
// https://www.unicode.org/terms_of_use.html: do not edit.

/// The word-break classes of all scalars, for `WordBreakClass`. 23680 bytes.
enum WordBreakTable {
    /// The version of Unicode that the table is made from. An index made with another one is to be rebuilt.
    // Allowed: full-text indexes record it.
    static let unicodeVersion = "15.0.0"

    /// The number of the block of each 32 scalars below 0x20000: two base-64 digits, from `0` up.
    static let blocks: StaticString = #"""
        0001020304050606070707070707070707070707070708070909090:0;0<070=070707070>070707070?0@070A0B0C0D0E070F0G07070H0I0J0K0L07070M0N0O\#
        0P0Q0R0S0T070U0V0W0X0Y0Z0[0\0]0^0_0`0a0b0c0d0e0f0g0h0i0j0k0l0m0n0o101112131415161718191:1;1<1=1>1?1@1A1B1C1D1E1B1F1G1H1I1J1K1L1B\#
        1M1N1O1P1Q071R1S1T1T1T1T1T1T1T1T07071U071V1W1X071Y071Z1[1\07071]1^0707070707070707070707070707070707071_1`07071a1b1c1d1e1M1f1g1h\#
        1i07071j1k1l071m1n1o20211M22231B241M25262728291B2:2;2<2=2>2?072@072A2B2C2D2E2F2G070707070707090907070707070707071]072H2C072I2J2K\#
        2L2M2N2O2P1B2Q2R2S2T2U072V2W1B1B1B1B1B1B1B1B1B1B2X2Y1B1B2Y1B2Z2[1B1B1B2\2]2^2_2`1B1B1B1B1B2a2b2c2d2e2e2e2f2e2e2e2g2h2i2j2k2l1B1B\#
        1B1B1B1B1B1B1B1B1B2m1B1B1B1B1B1B1B1B1B1B1B1B1B1B2n1B2o1B1B1B1B1B0707070707070730071R0731323333091B341B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        35363738393:3:3;3<3=1T1T3>071B3?1B3@3A1B3B3C3?3D3:3:3E1B1B1B1B1B3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F1B1B3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F\#
        0707070707070707070707070707070707070707070707070707070707070707070707073G1B3H2C07070707070707073I3J073K3L07073M3N07070707073O3P\#
        3Q3R073S3T3U3V3W0N3X3Y3Z0W3[3\3]073^3_3`1M3a3b3c3d3e073f0707073g1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T\#
        1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T\#
        1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T\#
        1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T\#
        1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T\#
        1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T1T3h3i3j\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B3F3F3F3F3F3F3F3F3F3F3F3k3F3F3l1B3m3n3o07074041070707070707070707072C3H074207434445464748070707494:02034;4<4=4>4?\#
        4@4A4B1B0707074C4D4E074F4G1B1B4H1B1B1B1B4I074J4K074L0S4M2C074N1B070707072C4O4P4Q074R074S4T4U1B1B070707070707070707321m434V4W1B1B\#
        4X4Y4Z4[1n4\1B4]4^4_1B1B074`4a2\4b4c4d4e4f1B1H4g071m4Z4h404i1B1B07074j1B074k074l074m1B1B1B1B1B1B1B1B1B4n074o1B504f51523H533H5432\#
        555657582>595:5;5<5=5>5?2>5@5A5B5C5D5E1B5F2D5G5H5I5J5K5L1B1B1B1B075M5N5O075P5Q1B1B1B1B1B075R5S1B075T5U1B075V5W1B5X5Y5Z1B1B1B1B1B\#
        075[1B1B1B07075\5]5^5_1B1B5`5a5b5c5d5e075f3H071j1B1B1B1B1B1B1B1B5g5h5i5j5k5l1B1B5m5n5o60615W1B1B1B1B1B1B1B1B1B626364651B1B66671B\#
        070707070707070707070707070707070707070707070707070707074_1B1B1B07070768070707070707691B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B3H07074J\#
        0707070707070707070707070707070707070707070707070707070707070707076:6;1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B0707070707070707070707070707070707076<1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        07070707070707070707070707070707071j1n4O071n4O6=076>6?6@1\1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B07076A1B1B1B07076B096C1B1B6D\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F6E\#
        3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F3F6F1B6G1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B6H\#
        6I38383838383838386J6K6L3F3F3F3F3F3F3F3F3F3F3F6M1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B0707076N6O6P1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B096Q6R1B1B1B1B1B\#
        1B1B1B1B1B1B1B1B1B1B1B6S6T6U1B1B1B1B6V1B1B1B4E4E1B1B1B6W1B1B1B1B07076X076Y6Z6[076\6]6^070707070707070707076_6`1S6X6X6a6a5g5g6b6c\#
        1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B6d6e6d6f6g6h1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1n6i1B1B1B1B1B1B\#
        6j6k076l6m1B1B1B076n6o1B1B1B1B1B1B1B1B1B3H7007711B1B1B1B1B1B1B1B1B1B1B1B1B1B3H711B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B72\#
        070707070707731B0707741B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B1B3C2\751B1B76771B1B1B1B1B1B6[78797:7;7<1B1B1B1B1B1B1B1B1B1B\#
        2e2e2e2e2e2e2e2e7=7>3f7?7@7A2e7B7C7D7E2e2e2e2e2e2e2e2e2e2e2e2e7F2e2e2e2e2e2e2e2e2e7G7H2e2e2e2e2e2e2e7I1B2e2e2e2e1B1B1B7J1B1B7K2e\#
        7L1B7M1B7N7O2e2e7P7Q7R2e2e2e2e2e2e2e2e2e2e2e2e2e1B1B1B1B1B1B1B7S2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e7G
        """#

    /// The blocks: a class number for each scalar, in the lower five bits.
    static let classes: StaticString = #"""
        ``````````bcca``````````````````u`o````n````r`p`ssssssssssqr`````kkkkkkkkkkkkkkkkkkkkkkkkkk````t`kkkkkkkkkkkkkkkkkkkkkkkkkk`````\#
        `````c```````````````````````````````````vk``gv```zz`k`q`zk`zzz`kkkkkkkkkkkkkkkkkkkkkkk`kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\#
        kkkkkkkkkkkkkkkkkkkkkkkk``````kkddddddddddddddddddddddddddddddddddddddddddddddddkkkkk`kk``kkkkrk``````kqkkk`k`kkkkkkkkkkkkkkkkkk\#
        kk`kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk`kkkkkkkkkkk`dddddddkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk`kkkkkkkkkkkkkkk\#
        kkkkkkkkkkkkkkkkkkkkkkk``kkkk`kqkkkkkkkkkrk``````ddddddddddddddddddddddddddddddddddddddddddddd`d`dd`dd`d````````jjjjjjjjjjjjjjjj\#
        jjjjjjjjjjj````jjjjkq```````````gggggg``````rr``ddddddddddd`g```kkkkkkkkkkkdddddddddddddddddddddssssssssss`sr`kkdkkkkkkkkkkkkkkk\#
        kkkkkkkkkkkkkkkkkkkk`kdddddddg`ddddddkkdd`ddddkksssssssssskkk``k```````````````gkdkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkdddddddddddddddd\#
        ddddddddddd``kkkkkkkkkkkkkkkkkkkkkkkkkeeeeeeeeeeek``````````````sssssssssskkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkdddddddddkk``r`k``d``\#
        kkkkkkkkkkkkkkkkkkkkkkeeeekeeeeeeeeekeeekeeeee``````````````````kkkkkkkkkkkkkkkkkkkkkkkkkeee````kkkkkkkkkkk`````kkkkkkkkkkkkkkkk\#
        kkkkkkkk`kkkkkk`gg``````ddddddddkkkkkkkkkkddddddddddddddddddddddddgdddddddddddddddddddddddddddddeeedkkkkkkkkkkkkkkkkkkkkkkkkkkkk\#
        kkkkkkkkkkkkkkkkkkkkkkkkkkedekdddeeeeeeeeddddeddkddddeeekkkkkkkkkkee``ssssssssss`kkkkkkkkkkkkkkkkedd`kkkkkkkk``kk``kkkkkkkkkkkkk\#
        kkkkkkkkk`kkkkkkk`k```kkkk``ekdddeeee``dd``ddek````````d````kk`kkkee``sssssssssskk``zzzzzz``k`e``eed`kkkkkk````kk``kkkkkkkkkkkkk\#
        kkkkkkkkk`kkkkkkk`kk`kk`kk``e`dddee````ee``eee```e```````kkkk`k```````sssssssssseekkke```````````eed`kkkkkkkkk`kkk`kkkkkkkkkkkkk\#
        kkkkkkkkk`kkkkkkk`kk`kkkkk``ekdddeeeee`eed`dde``k```````````````kkee``ssssssssss`````````keeeeee`edd`kkkkkkkk``kk``kkkkkkkkkkkkk\#
        kkkkkkkkk`kkkkkkk`kk`kkkkk``ekdedeeee``dd``dde```````eed````kk`kkkee``ssssssssss`kzzzzzz``````````ek`kkkkkk```kkk`kkkk```kk`k`kk\#
        ```kk```kkk```kkkkkkkkkkkk````ddedd```ddd`ddde``k``````d``````````````sssssssssszzz`````````````edddekkkkkkkk`kkk`kkkkkkkkkkkkkk\#
        kkkkkkkkk`kkkkkkkkkkkkkkkk``ekeeedddd`eee`eeee```````ee`kkk``k``kkee``ssssssssss````````zzzzzzz`kedd`kkkkkkkk`kkk`kkkkkkkkkkkkkk\#
        kkkkkkkkk`kkkkkkkkkk`kkkkk``ekdeddddd`edd`ddee```````dd``````kk`kkee``ssssssssss`kkd````````````eeddkkkkkkkkk`kkk`kkkkkkkkkkkkkk\#
        kkkkkkkkkkkkkkkkkkkkkkkkkkkeekdddeeee`ddd`dddek`````kkkdzzzzzzzkkkee``sssssssssszzzzzzzzz`kkkkkk`edd`kkkkkkkkkkkkkkkkkk```kkkkkk\#
        kkkkkkkkkkkkkkkkkk`kkkkkkkkk`k``kkkkkkk```e````dddeee`e`dddddddd``````ssssssssss``dd`````````````yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\#
        yyyyyyyyyyyyyyyyyeyyeeeeeee`````yyyyyyyeeeeeeee`ssssssssss```````````````````````````````````````yy`y`yyyyy`yyyyyyyyyyyyyyyyyyyy\#
        yyyy`y`yyyyyyyyyyeyyeeeeeeeeey``yyyyy`y`eeeeeee`ssssssssss``yyyyk```````````````````````ee``````sssssssssszzzzzzzzzz`e`e`e````dd\#
        kkkkkkkk`kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk````eeeeeeeeeeeeeedeeeee`eekkkkkeeeeeeeeeee`eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee```\#
        ``````e`````````````````````````yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyddeeeedeeeeeedeeddeeyssssssssss``````yyyyyyddeeyyyyee\#
        eydddyydddddddyyyeeeeyyyyyyyyyyyyyeddeeddddddeydssssssssssddde``kkkkkk`k`````k``kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk`kkkk\#
        llllllllllllllllllllllllllllllllkkkkkkkkk`kkkk``kkkkkkk`k`kkkk``kkkkkkkkk`kkkk``kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk`kkkk``kkkkkkk`\#
        k`kkkk``kkkkkkkkkkkkkkk`kkkkkkkkkkkkkkkkkkkkkkkkk`kkkk``kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk``eee`````````zzzzzzzzzzzzzzzzzzzz```\#
        kkkkkkkkkkkkkkkk````````````````kkkkkkkkkkkkkkkkkkkkkk``kkkkkk```kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk``kkkkkkkkkkkkkkkkk\#
        ukkkkkkkkkkkkkkkkkkkkkkkkkk`````kkkkkkkkkkk```kkkkkkkkkkk```````kkkkkkkkkkkkkkkkkkeeed`````````kkkkkkkkkkkkkkkkkkkeed```````````\#
        kkkkkkkkkkkkkkkkkkee````````````kkkkkkkkkkkkk`kkk`ee````````````yyyyyyyyyyyyyyyyyyyyeedeeeeeeeddddddddeddeeeeeeeeeee```y````ye``\#
        ssssssssss``````zzzzzzzzzz`````````````````eeegessssssssss``````kkkkkkkkkkkkkkkkkkkkkkkkk```````kkkkkeekkkkkkkkkkkkkkkkkkkkkkkkk\#
        kkkkkkkkkek`````kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk``````````kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk`eeeddddeeddd````ddeddddddeee````\#
        ``````ssssssssssyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy``yyyyy```````````yyyyyyyyyyyy````yyyyyyyyyyyyyyyyyyyyyyyyyy``````ssssssssssy`````\#
        kkkkkkkkkkkkkkkkkkkkkkkeedde````yyyyyyyyyyyyyyyyyyyyydedeeeeeee`ededdeeeeeeeeddddddeeeeeeeeee``essssssssss``````ssssssssss``````\#
        ```````y````````ddddddddddddddddddddddddddddddd`````````````````eeeedkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkedeeeeededdd\#
        ddeddkkkkkkkk```ssssssssss`````````````````eeeeeeeee````````````eedkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkdeeeeddeedeeekksssssssssskkkkkk\#
        kkkkkkedeedddedeeedd````````````kkkkddddddddeeeeeeeeddee````````ssssssssss```kkksssssssssskkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk``\#
        kkkkkkkkk```````kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk``kkk````````````````ddd`dddddddddddddddddddddkkkkdkkkkkkdkkdddk`````\#
        kkkkkk``kkkkkk``kkkkkkkk`k`k`k`kkkkkkkkkkkkkkkkkkkkkk`kkkkkkk`k```kkk`kkkkkkk```kkkk``kkkkkk````kkkkkkkkkkkkk`````kkk`kkkkkkk```\#
        uuuuuuu`uuu`dfgg````````pp``````````p``qccgggggt````````````v``tt```r````v``````````t``````````uggggg`ggggggggggzk``zzzzzz`````k\#
        zzzzzzzzzz``````kkkkkkkkkkkkk```````````````````ddddddddddddddddddddddddddddddddd`````````````````k````k``kkkkkkkkkk`k```kkkkk``\#
        ``v`k`k`k`kkkk`kkkkkkkkkkm``kkkk`````kkkkk````k`zzzzzzzzzzzzzzzzkkkkkkkkkz``````````vvvvvv```````````````vv`````````````````````\#
        ``````````````````````````vv````````````v``````````````````````````````````````v`````````````````````````vvvvvvvvvvv````vvv`````\#
        zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz``````````````````````````kkkkkkkkkkkkmkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\#
        kkkkkkkkkkzzzzzzzzzzzzzzzzzzzzzz``````````vv``````````v`````````v``````````````````````````````````````````````````````````vvvv`\#
        vvvvvv`vvvvvvvvvvvv`vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv``````````vvvvvvvvvvvvvvvvvvvvvv``vvvvvvvvvvv`v`v``````v``\#
        `v``````v``````````vv```````````````v``v````v`v````vvv`v```````````vvvvv``````````````zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz`vvv````````\#
        `v``````````````v``````````````v````````````````````vv```````````````vvv```````````````````vv```````````````````v````v``````````\#
        kkkkk``````kkkkdddkk`````````z``kkkkkkkk```````k```````````````ekkkkkkkkkkkkkkkkkkkkkkk`````````kkkkkkk`kkkkkkk`kkkkkkk`kkkkkkk`\#
        ```````````````k````````````````u````kww`````````````````````````wwwwwwwwwddddddviiiii``wwwkkv```xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\#
        xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx``ddiixxxiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii`iiii\#
        `````kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk`llllllllllllllllllllllllllllll```zzzz``````````````````````````iiiiiiiiiiiiiiii\#
        zzzzzzzzzz``````````````````````````````zzzzzzzz`zzzzzzzzzzzzzzzzzzzzzzzzz`````````````v`v```````````````````````zzzzzzzzzzzzzzz\#
        iiiiiiiiiiiiiiiiiiiiiiiiiiiiiii`iiiiiiiiiiiiiiiiiiiiiiii````````wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwkkkkkkkkkkkkk```````````````````\#
        ````````````````kkkkkkkkkkkkkkkkkkkkkkkkkkkkk```kkkkkkkkkkkkkkkksssssssssskk````````````````````kkkkkkkkkkkkkkkdddd`dddddddddd`k\#
        kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkddkkkkkkkkkkkkkkkkee``````````````````````kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk`````kk`k`kkkkk``````\#
        ``````````````````kkkkkkkkkkkkkkkkekkkekkkkekkkkkkkkkkkkkkkkkkkkkkkddeed````e```zzzzzz``````````kkkkkkkkkkkkkkkkkkkk````````````\#
        ddkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkddddddddddddddddee``````````ssssssssss``````eeeeeeeeeeeeeeeeeekkkkkk```k`kke\#
        kkkkkkeeeeeeee``kkkkkkkkkkkkkkkkkkkkkkkeeeeeeeeeeedd````````````lllllllllllllllllllllllllllll```kkkkkkkkkkkkkkkkkkkeddeeeeddeedd\#
        d``````````````kssssssssss``````yyyyyeyyyyyyyyyyssssssssssyyyyy`kkkkkkkkkeeeeeeddeeddee`````````kkkekkkkkkkked``ssssssssss``````\#
        yyyyyyyyyyyyyyyyyyyyyyy```ydedyyyyyyyyyyyyyyyyyyeyeeeyyeeyyyyyeeyey````````````````````````yyy``kkkkkkkkkkkdeedd``kkkde`````````\#
        `kkkkkk``kkkkkk``kkkkkk`````````kkkkkkk`kkkkkkk`kkkkkkkkkkkkkkkkkkkkkkkkkk``````kkkkkkkkkkkkkkkkkkkddeddedd`de``ssssssssss``````\#
        llll````````````lllllllllllllllllllllll````lllllllllllllllllllllllllllllllllllllllllllllllll````wwwwwwwwwwwwww``wwwwwwwwwwwwwwww\#
        wwwwwwwwwwwwwwwwwwwwwwwwww``````kkkkkkk````````````kkkkk`````jdjjjjjjjjjj`jjjjjjjjjjjjj`jjjjj`j`jj`jj`jjjjjjjjjjkkkkkkkkkkkkkkkk\#
        kkkkkkkkkkkkkkkkkk`````````````````````````````````kkkkkkkkkkkkkkkkkkkkkkkkkkkkk``kkkkkkkkkkkkkkkkkkkkkk````````````````````````\#
        ````````````````kkkkkkkkkkkk````ddddddddddddddddr``qr```````````dddddddddddddddd```tt````````````````````````tttr`p`rq``````````\#
        ````````````````kkkkk`kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk``g```````p````r`p`ssssssssssqr``````````iiiiiiiiiiiiiiiiiiiiiiiiii\#
        iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiddlllllllllllllllllllllllllllllll```llllll``llllll``llllll``lll````````````````````````````ggg````\#
        kkkkkkkkkkkk`kkkkkkkkkkkkkkkkkkkkkkkkkk`kkkkkkkkkkkkkkkkkkk`kk`kkkkkkkkkkkkkkk``kkkkkkkkkkkkkk``kkkkkkkkkkkkkkkkkkkkkkkkkkk`````\#
        ```````zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz````````````kkkkkkkkkkkkkkkkkkkkkzzzz`````````````````zz````````````````````\#
        `````````````````````````````d``kkkkkkkkkkkkkkkkkkkkkkkkkkkkk```kkkkkkkkkkkkkkkkk```````````````dzzzzzzzzzzzzzzzzzzzzzzzzzzz````\#
        zzzz`````````kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkddddd`````kkkk````kkkkkkkk`kkkkk``````````ssssssssss``````kkkkkkkkkkkkkkkk\#
        kkkkkkkkkkkkkkkkkkkk````kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk````kkkkkkkk````````kkkkkkkkkkkkkkkkkkkk````````````kkkkkkkkkkk`kkkk\#
        kkkkkkkkkkk`kkkkkkk`kk`kkkkkkkkkkk`kkkkkkkkkkkkkkk`kkkkkkk`kk```kkkkkk`kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk`kkkkkkkkk`````\#
        kkkkkk``k`kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk`kk```k``kkkkkkkkkkkkkkkkkkkkkkk``zzzzzzzzkkkkkkkkkkkkkkkkkkkkkkk``zzzzzzz\#
        ```````zzzzzzzzz````````````````kkkkkkkkkkkkkkkkkkk`kk`````zzzzzkkkkkkkkkkkkkkkkkkkkkkzzzzzz````kkkkkkkkkkkkkkkkkkkkkkkkkk``````\#
        kkkkkkkkkkkkkkkkkkkkkkkk````zzkkzzzzzzzzzzzzzzzz``zzzzzzzzzzzzzzkeee`ee`````eeeekkkk`kkk`kkkkkkkkkkkkkkkkkkkkkkkkkkkkk``eee````e\#
        zzzzzzzzz```````````````````````kkkkkkkkkkkkkkkkkkkkkkkkkkkkkzz`kkkkkkkkkkkkkkkkkkkkkkkkkkkkkzzzkkkkkee````zzzzz````````````````\#
        kkkkkkkkkkkkkkkkkkk`````zzzzzzzz`````````zzzzzzz````````````````kkkkkkkkk```````````````````````kkkkkkkkkkkkkkkkkkk`````````````\#
        kkkkkkkkkkkkkkkkkkk```````zzzzzzkkkkdddd````````ssssssssss``````zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz`kkkkkkkkkk`ee```kk``````````````\#
        `````````````````````````````dddzzzzzzzk````````kkkkkkkkkkkkkkkkkkkkkkeeeeeeeeeeezzzz```````````kkeeee``````````````````````````\#
        kkkkkzzzzzzz````````````````````dedkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkeeeeeeeeeeeeeee```````````zzzzzzzzzzzzzz\#
        zzzzzzssssssssssekkeek`````````ekkkkkkkkkkkkkkkkdddeeeeddee``g````e``````````g``kkkkkkkkkkkkkkkkkkkkkkkkk```````ssssssssss``````\#
        eeekkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkeeeeedeeeeeeee`ssssssssss````kddk````````kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkke``k`````````\#
        kkkkkkkkkkkkkkkkkkkdddeeeeeeeeeddkkkk````eeee`dessssssssssk`k````zzzzzzzzzzzzzzzzzzzz```````````kkkkkkkkkkkkkkkkkk`kkkkkkkkkkkkk\#
        kkkkkkkkkkkkdddeeeddedee``````ekke``````````````````````````````kkkkkkk`k`kkkk`kkkkkkkkkkkkkkk`kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkke\#
        dddeeeeeeee`````ssssssssss``````eedd`kkkkkkkk``kk``kkkkkkkkkkkkkkkkkkkkkk`kkkkkkk`kk`kkkkk`dekddedddd``dd``ddd``k``````d`````kkk\#
        kkdd``eeeeeee```eeeee```````````kkkkkkkkkkkkkkkkkkkkkdddeeeeeeeeddeeedekkkk`````ssssssssss````ekkk``````````````````````````````\#
        kkkkkkkkkkkkkkkkdddeeeeeededdddeedeekk`k````````ssssssssss``````kkkkkkkkkkkkkkkdddeeee``ddddeedee```````````````````````kkkkee``\#
        kkkkkkkkkkkkkkkkdddeeeeeeeeddedee```k```````````ssssssssss``````kkkkkkkkkkkededdeeeeeedek```````ssssssssss``````````````````````\#
        yyyyyyyyyyyyyyyyyyyyyyyyyyy``eeeddeeeedeeeee````ssssssssssyy````yyyyyyy`````````````````````````kkkkkkkkkkkkdddeeeeeeeeedee`````\#
        sssssssssszzzzzzzzz````````````kkkkkkkk``k``kkkkkkkk`kk`kkkkkkkkkkkkkkkkkkkkkkkkdddddd`dd``eedekdkde````````````ssssssssss``````\#
        kkkkkkkk``kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkdddeeee``eeddddek`kd```````````````````````````keeeeeeeeeekkkkkkkkkkkkkkkkkkkkk\#
        kkkkkkkkkkkkkkkkkkkeeeeeedkeeee````````e````````keeeeeeddeeekkkkkkkkkkkkkkeeeeeeeeeeeeedee```k``kkkkkkkkk`kkkkkkkkkkkkkkkkkkkkkk\#
        kkkkkkkkkkkkkkkdeeeeeee`eeeeeedek```````````````sssssssssszzzzzzzzzzzzzzzzzzz`````kkkkkkkkkkkkkkkkkkkkkkkkkkkkkk``eeeeeeeeeeeeee\#
        eeeeeeee`deeeeeeedeedee`````````kkkkkkk`kk`kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkeeeeee```e`ee`eeeeeeeke````````ssssssssss``````\#
        kkkkkk`kk`kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkddddd`ee`ddedek```````kkkkkkkkkkkkkkkkkkkeedd`````````eekdkkkkkkkkkkkkk`kkkkkkkkkkkkkk\#
        kkkkkkkkkkkkkkkkkkkkddeeeee```ddede`````````````ssssssssss``````````````````````k```````````````zzzzzzzzzzzzzzzzzzzzz```````````\#
        kkkkkkkkkkkkkkk`````````````````kkkk````````````````````````````kkkkkkkkkkkkkkkkggggggggggggggggekkkkkkeeeeeeeeeeeeeee``````````\#
        kkkkkkk`````````````````````````kkkkkkkkkkkkkk``eeeee```````````kkkkkkkkkkkkkkkkeeeeeee`````````kkkk````````````ssssssssss`zzzzz\#
        zz`kkkkkkkkkkkkkkkkkkkkk`````kkkzzzzzzzzzzzzzzzzzzzzzzz`````````kkkkkkkkkkk````ekddddddddddddddddddddddd```````eeeekkkkkkkkkkkkk\#
        kk`ke```````````dd``````````````wwwwwwwwwwwwwwwwwwwwwwww````````wwwwwwwwwwwwwwwwwwwwww``````````wwwwwwwww```````````````````````\#
        ````````````````iiii`iiiiiii`ii`ixxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxiii```````````````x`````````````````````````````xxx``i``````````\#
        ````iiii````````wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww````kkkkkkkkkkk`````kkkkkkkkkkkkk```kkkkkkkkk```````kkkkkkkkkk```ee`\#
        gggg````````````````````````````dddddddddddddd``ddddddddddddddddddddddd``````````````````````````````ddddd```ddddddggggggggddddd\#
        ddd``ddddddd``````````````````````````````dddd````````````````````ddd```````````````````````````zzzzzzzzzzzzzzzzzzzzzzzzz```````\#
        kkkkkkkkkkkkkkkkkkkkk`kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk`kk``k``kk``kkkk`kkkkkkkkkkkk`k`kkkkkkk`kkkkkkkkkkkkkkkkkkkkkkkkkkk\#
        kkkkkk`kkkk``kkkkkkkk`kkkkkkk`kkkkkkkkkkkkkkkkkkkkkkkkkkkk`kkkk`kkkkk`k```kkkkkkk`kkkkkkkkkkkkkkkkkkkk``kkkkkkkkkkkkkkkkkkkkkkkk\#
        k`kkkkkkkkkkkkkkkkkkkkkkkkk`kkkkkkkkkkkkkkkkkkk`kkkkkkkkkkkkkkkkkkk`kkkkkkkk``ssssssssssssssssssssssssssssssssssssssssssssssssss\#
        eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee````eeeeeeeeeeeeeeeeee````````e``````````````e``````````````````````eeeee\#
        `eeeeeeeeeeeeeee`````````````````````kkkkkk`````````````````````ddddddd`ddddddddddddddddd``ddddddd`dd`ddddd`````kkkkkkkkkkkkkkkk\#
        kkkkkkkkkkkkkk`````````````````````````````````d````````````````kkkkkkkkkkkkk```eeeeeeekkkkkkk``ssssssssss````k`````````````````\#
        kkkkkkkkkkkkkke`````````````````kkkkkkkkkkkkeeeessssssssss``````kkkkkkk`kkkk`kk`kkkkkkkkkkkkkkk`kkkkk``zzzzzzzzzddddddd`````````\#
        kkkkdddddddk````ssssssssss``````zzzzzzzzzzzz`zzz`zzzz````````````zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz`zzzzzzzzzzzzzzz``\#
        `kk`k``k`kkkkkkkkkk`kkkk`k`k``````k````k`k`k`kkk`kk`k``k`k`k`k`k`kk`k``kkkk`kkkkkkk`kkkk`kkkk`k`kkkkkkkkkk`kkkkkkkkkkkkkkkkk````\#
        `kkk`kkkkk`kkkkkkkkkkkkkkkkk````zzzzzzzzzzzzzvvv```````````````````````````````vkkkkkkkkkkkkkkkkkkkkkkkkkk``vvvvmmkkkkkkkkkkkkmm\#
        kkkkkkkkkk````v``vvvvvvvvvv``````````````````vvvvvvvvvvvvvvvvvvvvvvvvvhhhhhhhhhhhhhhhhhhhhhhhhhh`vvvvvvvvvvvvvvv``````````v`````\#
        ```````````````v``vvvvvvvvv`vvvv`````````vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvdddddvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv``\#
        ``````vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv````````````````````````````````````vvvvvvvvvvvv`````````````````````vvvvvvvvvvv\#
        ````````````vvvv````````````````````````vvvvvvvv``````````vvvvvv````````vvvvvvvv``````````````````````````````vvvvvvvvvvvvvvvvvv\#
        ````````````vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv`vvvvvvvvvv`vvvvvvvvvvvvvvvvvvvvvvvvv````````````````ssssssssss``````
        """#

    /// The class of a scalar that is not in the table.
    static func classBeyond(_ scalar: UInt32) -> WordBreakClass {
        switch scalar {
        case 0x20000...0x2A6DF: .ideograph
        case 0x2A700...0x2B739: .ideograph
        case 0x2B740...0x2B81D: .ideograph
        case 0x2B820...0x2CEA1: .ideograph
        case 0x2CEB0...0x2EBE0: .ideograph
        case 0x2F800...0x2FA1D: .ideograph
        case 0x30000...0x3134A: .ideograph
        case 0x31350...0x323AF: .ideograph
        case 0xE0001...0xE0001: .format
        case 0xE0020...0xE007F: .extend
        case 0xE0100...0xE01EF: .extend
        default: .other
        }
    }
}
