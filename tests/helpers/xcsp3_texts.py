"""An XCSP3 file to put constraints in, and constraints with what they mean as functions of its variables."""

from __future__ import annotations

XCSP3 = """<instance format="XCSP3" type="CSP">
 <variables>
  <var id="w"> 0..2 </var> <var id="p"> 0 1 </var>
  <array id="x" size="[3]"> -2..3 </array>
 </variables>
 <constraints>
  {}
 </constraints>
</instance>
"""
CONSTRAINTS = [
    ("<allDifferent> x[] </allDifferent>", lambda w, p, x: len(set(x)) == 3),
    ("<allDifferent> add(x[0],1) x[1] w </allDifferent>", lambda w, p, x: len({x[0] + 1, x[1], w}) == 3),
    ("<allEqual> <list> x[0..1] w </list> </allEqual>", lambda w, p, x: x[0] == x[1] == w),
    ("<ordered> <list> x[] </list> <operator> lt </operator> </ordered>", lambda w, p, x: x[0] < x[1] < x[2]),
    (
        "<lex> <list> x[0] x[1] </list> <list> x[1] w </list> <operator> le </operator> </lex>",
        lambda w, p, x: (x[0], x[1]) <= (x[1], w),
    ),
    (
        "<lex> <matrix> (x[0],w)(x[1],x[2]) </matrix> <operator> gt </operator> </lex>",
        lambda w, p, x: (x[0], w) > (x[1], x[2]) and (x[0], x[1]) > (w, x[2]),
    ),
    (
        "<sum> <list> x[] </list> <coeffs> 2 -1 1 </coeffs> <condition> (le,w) </condition> </sum>",
        lambda w, p, x: 2 * x[0] - x[1] + x[2] <= w,
    ),
    (
        "<sum> <list> x[0] eq(x[1],2) </list> <coeffs> 1x2 </coeffs> <condition> (in,{-1,2..3}) </condition> </sum>",
        lambda w, p, x: x[0] + (x[1] == 2) in (-1, 2, 3),
    ),
    (
        "<count> <list> x[] w </list> <values> 1 2 </values> <condition> (ge,3) </condition> </count>",
        lambda w, p, x: sum(value in (1, 2) for value in (*x, w)) >= 3,
    ),
    (
        "<count> <list> x[] </list> <values> w </values> <condition> (notin,1..3) </condition> </count>",
        lambda w, p, x: x.count(w) == 0,
    ),
    (
        "<cardinality> <list> x[] </list> <values closed='true'> 0 1 2 </values> <occurs> w 0..1 p </occurs> </cardinality>",
        lambda w, p, x: set(x) <= {0, 1, 2} and x.count(0) == w and x.count(1) <= 1 and x.count(2) == p,
    ),
    (
        "<cardinality> <list> x[] w p </list> <values> 0 1 2 </values> <occurs> x[] </occurs> </cardinality>",
        lambda w, p, x: all((*x, w, p).count(value) == x[value] for value in range(3)),
    ),
    ("<maximum> <list> x[] </list> <condition> (eq,w) </condition> </maximum>", lambda w, p, x: max(x) == w),
    ("<minimum> <list> x[] w </list> <condition> (gt,0) </condition> </minimum>", lambda w, p, x: min(*x, w) > 0),
    (
        "<element> <list> x[] </list> <index> w </index> <value> 2 </value> </element>",
        lambda w, p, x: x[w] == 2,
    ),
    (
        "<element> <list startIndex='1'> 4 -1 1 </list> <index> x[0] </index> <condition> (ge,x[1]) </condition> </element>",
        lambda w, p, x: 1 <= x[0] <= 3 and (4, -1, 1)[x[0] - 1] >= x[1],
    ),
    (
        "<element> <matrix> (1,2,3)(w,x[1],0) </matrix> <index> p x[0] </index> <value> 2 </value> </element>",
        lambda w, p, x: 0 <= x[0] <= 2 and ((1, 2, 3), (w, x[1], 0))[p][x[0]] == 2,
    ),
    (
        "<channel> <list> x[] </list> </channel>",
        lambda w, p, x: set(x) <= {0, 1, 2} and all(x[x[i]] == i for i in range(3)),
    ),
    (
        "<channel> <list> w p x[1] </list> <list startIndex='1'> x[0] 2 x[2] </list> </channel>",
        lambda w, p, x: _channels((w, p, x[1]), (x[0], 2, x[2])),
    ),
    (
        "<instantiation> <list> x[0] w </list> <values> -1 2 </values> </instantiation>",
        lambda w, p, x: x[0] == -1 and w == 2,
    ),
    ("<extension> <list> x[0] </list> <supports> -2 0..1 </supports> </extension>", lambda w, p, x: x[0] in (-2, 0, 1)),
    (
        "<extension> <list> w x[0] p </list> <supports> (0,*,1)(2,-1..0,*) </supports> </extension>",
        lambda w, p, x: (w == 0 and p == 1) or (w == 2 and x[0] in (-1, 0)),
    ),
    (
        "<extension> <list> w x[0] </list> <conflicts> (0,1)(1,*) </conflicts> </extension>",
        lambda w, p, x: (w, x[0]) != (0, 1) and w != 1,
    ),
    (
        "<group> <intension> ne(%0,add(%1,%2)) </intension> <args> x[0..1] 1 </args> <args> w x[2] 0 </args> </group>",
        lambda w, p, x: x[0] != x[1] + 1 and w != x[2],
    ),
    (
        "<block><group><sum> <list> %1 %... </list> <condition> (lt,%0) </condition> </sum> <args>2 x[]</args></group></block>",
        lambda w, p, x: sum(x) < 2,
    ),
]
FUNCTIONS = [
    ("eq(neg(x[0]),abs(x[1]))", lambda w, p, x: -x[0] == abs(x[1])),
    ("lt(add(x[0],x[1],w),sub(x[2],1))", lambda w, p, x: x[0] + x[1] + w < x[2] - 1),
    ("ge(mul(x[0],x[1],2),sqr(w))", lambda w, p, x: x[0] * x[1] * 2 >= w * w),
    ("eq(div(x[0],2),mod(x[1],3))", lambda w, p, x: int(x[0] / 2) == (abs(x[1]) % 3) * (1 if x[1] > 0 else -1)),
    ("gt(pow(x[0],2),max(x[1],w,0))", lambda w, p, x: x[0] ** 2 > max(x[1], w, 0)),
    ("le(min(x[0],x[1]),dist(x[1],w))", lambda w, p, x: min(x[0], x[1]) <= abs(x[1] - w)),
    ("in(x[0],set(-2,1,3))", lambda w, p, x: x[0] in (-2, 1, 3)),
    ("notin(add(x[0],w),{0,1..2})", lambda w, p, x: x[0] + w not in (0, 1, 2)),
    ("or(not(eq(x[0],1)),and(p,gt(w,1)))", lambda w, p, x: x[0] != 1 or (p == 1 and w > 1)),
    ("xor(eq(x[0],w),lt(x[1],0),p)", lambda w, p, x: ((x[0] == w) + (x[1] < 0) + p) % 2 == 1),
    ("iff(eq(x[0],w),p,ne(x[1],2))", lambda w, p, x: (x[0] == w) == (p == 1) == (x[1] != 2)),
    ("imp(p,eq(x[0],x[1],w))", lambda w, p, x: not p or x[0] == x[1] == w),
    ("eq(if(gt(x[0],0),x[1],w),2)", lambda w, p, x: (x[1] if x[0] > 0 else w) == 2),
    ("eq(p,gt(x[0],w))", lambda w, p, x: p == (x[0] > w)),
    ("ne(eq(x[0],w),lt(x[1],x[2]))", lambda w, p, x: (x[0] == w) != (x[1] < x[2])),
    ("eq(w,le(x[0],x[1]))", lambda w, p, x: w == (x[0] <= x[1])),
    ("eq(add(lt(x[0],0),eq(x[1],1)),w)", lambda w, p, x: (x[0] < 0) + (x[1] == 1) == w),
]


def _channels(left, right):
    """Value j + 1 at place i on the left says value i at place j on the right, and the other way round."""
    return all(v in (1, 2, 3) for v in left) and all(v in (0, 1, 2) for v in right) and all(
        (left[i] == j + 1) == (right[j] == i) for i in range(3) for j in range(3)
    )  # fmt: skip
