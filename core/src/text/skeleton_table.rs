//! Written by `tables/skeleton.py`; do not edit.

/// Runs of characters that fold to one ASCII character each; a space where one does not fold. A line is how far the first
/// is from that of the line before, in hexadecimal, and what they fold to.
pub(super) const RUNS: &str = r##"a6 |   a       23'  * 1o     aaaaaa ceeeeiiii noooooxouuuuy  aaaaaa ceeeeiiii nooooo ouuuuy yaaaaaaccccccccddddeeeeeeeeeegggggggghh  iiiiiiiiii  jjkk llllll  llnnnnnn   oooooo  rrrrrrsssssssstttt  uuuuuuuuuuuuwwyyyzzzzzzs    b
ec f
e oo
f uu      3     s  l|
1e aaiioouuuuuuuuuu aaaa    ggkkoooo  j   gg  nnaa    aaaaeeeeiiiioooorrrruuuusstt  hh      aaeeooooooooyy
84 a b  dd   e     gg      iil   w    n
2f r
b u   yz 3      b  h  l
25 h jr   wy'  '
20 :
c ~    lsx
a2 ;
13 ab  ezh ik mn o p  ty x         aby e n ik uv o p otu x w
4b f
15 pcj     c       e  esiij       a b  e 3  k mho pcty x      b   a br e 3  k mhonpcty x  w   b    e  esiij        w
83 vv
29 k
11 yy
c hhee  l
15 i
11 3
20 dd
c g
f qww
34 s     o    '      w q  q         h    ju n   nu   u   o
74 :
12 l
37 ,
5b v
8a 1
cf 0
1a6 o
80 o
200 o
13a o
130 o
80 o
217 y
18 o
2a1 d t  i    aje      w   m   h y  gnhz
2f b  r      vs   lc  p   kd
25 b
1c0 f
2a d
19 b
77 x
692 a   cd e  jk m o        p  tu   vwz   r     a b de ghijklmn o prtuwa   bde   g km o   ptu  v      iruv
83 g
19 c   f
1f z
45 aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwy s    aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy
1ef `
21 ------ _'','""""  * .
22 '" '"  <>        -/[]       *
3e 0i  456789+ =()n0123456789+ =() aeox hklmnpst
92 c       ghhhh iill n   pqrrr      z   z kabc eef mo    i
43 ddeij
1b i   v    x  lcdmi   v    x  lcdm
b2 -  / * *         l    v
24 :     ~
2a =
e <>
10c a
e6 123456789
56 abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0
4a --||
71 /
45 >   >
19 *
a0 #
c2 *
27 |
10 ()()  <>  []
2e -
50 []<>
47e r
18 jv       r
19 k         o     c
a4 e
16 l     q
2b3 .     <>      []  [][]     ""
fa -
7634 fs
59 :  '
10 f
59 cfq
355 r
4fe2 +
2e7 ,  :;!?
23 __(){}
14 []    ___, . ;:?!-(){}  #&*+-<>=  $%@
ba !"#$%&'()*+,-./0123456789:;<=>?@abcdefghijklmnopqrstuvwxyz[ ]^_`abcdefghijklmnopqrstuvwxyz{|}~
39f a
d160 abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefg ijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyza cd  g  jk  nopq stuvwxyzabcd f hijklmn pqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzab defg  jklmnopq stuvwxy abcdefghijklmnopqrstuvwxyzab defg ijklm o   stuvwxy abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz
3ce 01234567890123456789012345678901234567890123456789
195d cr   abcdefghijklmnopqrstuvwxyz
"##;

/// Characters that fold to several, in the same form.
pub(super) const SEVERAL: &str = r##"df ss
53 ij
1 ij
91 dz
1 dz
1 dz
1 lj
1 lj
1 lj
1 nj
1 nj
1 nj
25 dz
1 dz
1 dz
1cab ss
187 ..
1 ...
16 !!
b ??
1 ?!
1 !?
5f rs
5d c/o
1 c/u
10 no
a sm
1 tel
1 tm
19 fax
26 ii
1 iii
1 iv
2 vi
1 vii
1 viii
1 ix
2 xi
1 xii
6 ii
1 iii
1 iv
2 vi
1 vii
1 viii
1 ix
2 xi
1 xii
2ee 10
1 11
1 12
1 13
1 14
1 15
1 16
1 17
1 18
1 19
1 20
1 (1)
1 (2)
1 (3)
1 (4)
1 (5)
1 (6)
1 (7)
1 (8)
1 (9)
1 (10)
1 (11)
1 (12)
1 (13)
1 (14)
1 (15)
1 (16)
1 (17)
1 (18)
1 (19)
1 (20)
1 1.
1 2.
1 3.
1 4.
1 5.
1 6.
1 7.
1 8.
1 9.
1 10.
1 11.
1 12.
1 13.
1 14.
1 15.
1 16.
1 17.
1 18.
1 19.
1 20.
1 (a)
1 (b)
1 (c)
1 (d)
1 (e)
1 (f)
1 (g)
1 (h)
1 (i)
1 (j)
1 (k)
1 (l)
1 (m)
1 (n)
1 (o)
1 (p)
1 (q)
1 (r)
1 (s)
1 (t)
1 (u)
1 (v)
1 (w)
1 (x)
1 (y)
1 (z)
5bf ::=
1 ==
1 ===
7da pte
1 21
1 22
1 23
1 24
1 25
1 26
1 27
1 28
1 29
1 30
1 31
1 32
1 33
1 34
1 35
52 36
1 37
1 38
1 39
1 40
1 41
1 42
1 43
1 44
1 45
1 46
1 47
1 48
1 49
1 50
d hg
1 erg
1 ev
1 ltd
c831 ff
1 fi
1 fl
1 ffi
1 ffl
1 st
1 st
313 ...
17 ..
f2d0 0.
1 0,
1 1,
1 2,
1 3,
1 4,
1 5,
1 6,
1 7,
1 8,
1 9,
6 (a)
1 (b)
1 (c)
1 (d)
1 (e)
1 (f)
1 (g)
1 (h)
1 (i)
1 (j)
1 (k)
1 (l)
1 (m)
1 (n)
1 (o)
1 (p)
1 (q)
1 (r)
1 (s)
1 (t)
1 (u)
1 (v)
1 (w)
1 (x)
1 (y)
1 (z)
4 cd
1 wz
1c hv
1 mv
1 sd
1 ss
1 ppv
1 wc
1b mc
1 md
1 mr
24 dj
"##;

/// Runs of characters with a lower case: first, last, whether every second one, and what is to be added.
pub(super) const LOWER: &[(u32, u32, bool, i32)] = &[
    (0xc0, 0xd6, false, 32),
    (0xd8, 0xde, false, 32),
    (0x100, 0x12e, true, 1),
    (0x132, 0x136, true, 1),
    (0x139, 0x147, true, 1),
    (0x14a, 0x176, true, 1),
    (0x178, 0x178, false, -121),
    (0x179, 0x17d, true, 1),
    (0x181, 0x181, false, 210),
    (0x182, 0x184, true, 1),
    (0x186, 0x186, false, 206),
    (0x187, 0x187, false, 1),
    (0x189, 0x18a, false, 205),
    (0x18b, 0x18b, false, 1),
    (0x18e, 0x18e, false, 79),
    (0x18f, 0x18f, false, 202),
    (0x190, 0x190, false, 203),
    (0x191, 0x191, false, 1),
    (0x193, 0x193, false, 205),
    (0x194, 0x194, false, 207),
    (0x196, 0x196, false, 211),
    (0x197, 0x197, false, 209),
    (0x198, 0x198, false, 1),
    (0x19c, 0x19c, false, 211),
    (0x19d, 0x19d, false, 213),
    (0x19f, 0x19f, false, 214),
    (0x1a0, 0x1a4, true, 1),
    (0x1a6, 0x1a6, false, 218),
    (0x1a7, 0x1a7, false, 1),
    (0x1a9, 0x1a9, false, 218),
    (0x1ac, 0x1ac, false, 1),
    (0x1ae, 0x1ae, false, 218),
    (0x1af, 0x1af, false, 1),
    (0x1b1, 0x1b2, false, 217),
    (0x1b3, 0x1b5, true, 1),
    (0x1b7, 0x1b7, false, 219),
    (0x1b8, 0x1b8, false, 1),
    (0x1bc, 0x1bc, false, 1),
    (0x1c4, 0x1c4, false, 2),
    (0x1c5, 0x1c5, false, 1),
    (0x1c7, 0x1c7, false, 2),
    (0x1c8, 0x1c8, false, 1),
    (0x1ca, 0x1ca, false, 2),
    (0x1cb, 0x1db, true, 1),
    (0x1de, 0x1ee, true, 1),
    (0x1f1, 0x1f1, false, 2),
    (0x1f2, 0x1f4, true, 1),
    (0x1f6, 0x1f6, false, -97),
    (0x1f7, 0x1f7, false, -56),
    (0x1f8, 0x21e, true, 1),
    (0x220, 0x220, false, -130),
    (0x222, 0x232, true, 1),
    (0x23a, 0x23a, false, 10795),
    (0x23b, 0x23b, false, 1),
    (0x23d, 0x23d, false, -163),
    (0x23e, 0x23e, false, 10792),
    (0x241, 0x241, false, 1),
    (0x243, 0x243, false, -195),
    (0x244, 0x244, false, 69),
    (0x245, 0x245, false, 71),
    (0x246, 0x24e, true, 1),
    (0x370, 0x372, true, 1),
    (0x376, 0x376, false, 1),
    (0x37f, 0x37f, false, 116),
    (0x386, 0x386, false, 38),
    (0x388, 0x38a, false, 37),
    (0x38c, 0x38c, false, 64),
    (0x38e, 0x38f, false, 63),
    (0x391, 0x3a1, false, 32),
    (0x3a3, 0x3ab, false, 32),
    (0x3cf, 0x3cf, false, 8),
    (0x3d8, 0x3ee, true, 1),
    (0x3f4, 0x3f4, false, -60),
    (0x3f7, 0x3f7, false, 1),
    (0x3f9, 0x3f9, false, -7),
    (0x3fa, 0x3fa, false, 1),
    (0x3fd, 0x3ff, false, -130),
    (0x400, 0x40f, false, 80),
    (0x410, 0x42f, false, 32),
    (0x460, 0x480, true, 1),
    (0x48a, 0x4be, true, 1),
    (0x4c0, 0x4c0, false, 15),
    (0x4c1, 0x4cd, true, 1),
    (0x4d0, 0x52e, true, 1),
    (0x531, 0x556, false, 48),
    (0x10a0, 0x10c5, false, 7264),
    (0x10c7, 0x10c7, false, 7264),
    (0x10cd, 0x10cd, false, 7264),
    (0x13a0, 0x13ef, false, 38864),
    (0x13f0, 0x13f5, false, 8),
    (0x1c90, 0x1cba, false, -3008),
    (0x1cbd, 0x1cbf, false, -3008),
    (0x1e00, 0x1e94, true, 1),
    (0x1e9e, 0x1e9e, false, -7615),
    (0x1ea0, 0x1efe, true, 1),
    (0x1f08, 0x1f0f, false, -8),
    (0x1f18, 0x1f1d, false, -8),
    (0x1f28, 0x1f2f, false, -8),
    (0x1f38, 0x1f3f, false, -8),
    (0x1f48, 0x1f4d, false, -8),
    (0x1f59, 0x1f5f, true, -8),
    (0x1f68, 0x1f6f, false, -8),
    (0x1f88, 0x1f8f, false, -8),
    (0x1f98, 0x1f9f, false, -8),
    (0x1fa8, 0x1faf, false, -8),
    (0x1fb8, 0x1fb9, false, -8),
    (0x1fba, 0x1fbb, false, -74),
    (0x1fbc, 0x1fbc, false, -9),
    (0x1fc8, 0x1fcb, false, -86),
    (0x1fcc, 0x1fcc, false, -9),
    (0x1fd8, 0x1fd9, false, -8),
    (0x1fda, 0x1fdb, false, -100),
    (0x1fe8, 0x1fe9, false, -8),
    (0x1fea, 0x1feb, false, -112),
    (0x1fec, 0x1fec, false, -7),
    (0x1ff8, 0x1ff9, false, -128),
    (0x1ffa, 0x1ffb, false, -126),
    (0x1ffc, 0x1ffc, false, -9),
    (0x2126, 0x2126, false, -7517),
    (0x212a, 0x212a, false, -8383),
    (0x212b, 0x212b, false, -8262),
    (0x2132, 0x2132, false, 28),
    (0x2160, 0x216f, false, 16),
    (0x2183, 0x2183, false, 1),
    (0x24b6, 0x24cf, false, 26),
    (0x2c00, 0x2c2f, false, 48),
    (0x2c60, 0x2c60, false, 1),
    (0x2c62, 0x2c62, false, -10743),
    (0x2c63, 0x2c63, false, -3814),
    (0x2c64, 0x2c64, false, -10727),
    (0x2c67, 0x2c6b, true, 1),
    (0x2c6d, 0x2c6d, false, -10780),
    (0x2c6e, 0x2c6e, false, -10749),
    (0x2c6f, 0x2c6f, false, -10783),
    (0x2c70, 0x2c70, false, -10782),
    (0x2c72, 0x2c72, false, 1),
    (0x2c75, 0x2c75, false, 1),
    (0x2c7e, 0x2c7f, false, -10815),
    (0x2c80, 0x2ce2, true, 1),
    (0x2ceb, 0x2ced, true, 1),
    (0x2cf2, 0x2cf2, false, 1),
    (0xa640, 0xa66c, true, 1),
    (0xa680, 0xa69a, true, 1),
    (0xa722, 0xa72e, true, 1),
    (0xa732, 0xa76e, true, 1),
    (0xa779, 0xa77b, true, 1),
    (0xa77d, 0xa77d, false, -35332),
    (0xa77e, 0xa786, true, 1),
    (0xa78b, 0xa78b, false, 1),
    (0xa78d, 0xa78d, false, -42280),
    (0xa790, 0xa792, true, 1),
    (0xa796, 0xa7a8, true, 1),
    (0xa7aa, 0xa7aa, false, -42308),
    (0xa7ab, 0xa7ab, false, -42319),
    (0xa7ac, 0xa7ac, false, -42315),
    (0xa7ad, 0xa7ad, false, -42305),
    (0xa7ae, 0xa7ae, false, -42308),
    (0xa7b0, 0xa7b0, false, -42258),
    (0xa7b1, 0xa7b1, false, -42282),
    (0xa7b2, 0xa7b2, false, -42261),
    (0xa7b3, 0xa7b3, false, 928),
    (0xa7b4, 0xa7c2, true, 1),
    (0xa7c4, 0xa7c4, false, -48),
    (0xa7c5, 0xa7c5, false, -42307),
    (0xa7c6, 0xa7c6, false, -35384),
    (0xa7c7, 0xa7c9, true, 1),
    (0xa7d0, 0xa7d0, false, 1),
    (0xa7d6, 0xa7d8, true, 1),
    (0xa7f5, 0xa7f5, false, 1),
    (0xff21, 0xff3a, false, 32),
    (0x10400, 0x10427, false, 40),
    (0x104b0, 0x104d3, false, 40),
    (0x10570, 0x1057a, false, 39),
    (0x1057c, 0x1058a, false, 39),
    (0x1058c, 0x10592, false, 39),
    (0x10594, 0x10595, false, 39),
    (0x10c80, 0x10cb2, false, 64),
    (0x118a0, 0x118bf, false, 32),
    (0x16e40, 0x16e5f, false, 32),
    (0x1e900, 0x1e921, false, 34),
];
