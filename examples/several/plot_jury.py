"""
A jury of language models
=========================

Six language models judge which of two answers follows an instruction better, and nobody has graded
the models. Weighed by agreement, they are right about 94 of 100 everyday instructions, and the
majority about 93. But where instructions were written to deceive, three of the models err together,
and a consensus without labels follows them. Twenty labels reveal it.

Data: LLMBar (Zeng, Yu, Gao, Meng, Goyal and Chen 2024, Evaluating large language models at
evaluating instruction following, ICLR; MIT License, copyright 2023 Princeton Natural Language
Processing). Each model saw each pair of answers twice, in both orders, with the prompt "Vanilla".
"""

import matplotlib.pyplot as plt
import numpy as np

from dstheory.plot.style import COLORS
from evical import EvidentialFusion

# %%
# One word per instruction: the answer that GPT-4, ChatGPT, ChatGPT of March 2023, LLaMA 2, PaLM 2
# and Falcon prefer, then the one that people prefer. A model abstains (-) if its preference depends
# on the order.

MODELS = ["GPT-4", "ChatGPT", "ChatGPT 0301", "LLaMA 2", "PaLM 2", "Falcon"]
NATURAL = """
111-111 1111111 11-11-1 1111111 22222-2 1111111 1-11111 22--222 1-11-11 ---2--2 1-11-11 2222222
-----11 1--22-1 1---1-1 2222222 222-2-2 222-2-2 2222222 2222222 1-1---1 22222-2 1111111 22----2
1--1111 222---2 1-----1 2--2-22 2222222 2222222 11-11-1 1111111 2222222 2--1--2 1-11111 11111-1
1111111 2--1--2 22222-2 1111111 22222-2 11111-1 2--2-22 2222222 1222221 1-22222 1---1-1 1111111
2--22-2 2222222 2222222 2222--2 21112-2 22222-2 2222-12 2--12-2 2222222 2222-22 11112-1 2222222
2222222 1-111-1 11111-1 2222222 11--1-1 2-222-2 1111111 22222-2 1111-11 2-2---2 -222222 2222222
11111-1 2222222 222-222 2222222 2222222 2222222 2-22222 111---1 1111--1 -222-22 1--1111 111-1-1
222---2 1--21-1 22222-2 1111111 --2-2-1 2--1--2 22222-2 1111111 211-2-2 22222-2 22222-2 11111-1
2---222 2-22222 222-2-2 22222-1
"""
ADVERSARIAL = """
21-1222 211-2-2 1222111 2--2222 2--2222 2--1--2 1--11-2 211-2-2 1-11--2 12--2-1 1-11111 211---2
1--21-1 12--1-1 2111212 1-21211 21--2-2 12221-1 1-2-211 21--2-2 -111112 12-2111 21-1--2 -111112
21112-2 1--21-1 -111112 2--22-2 111--12 2222211 12--121 1--22-1 2-1---2 222-2-1 21112-2 2--2--2
1---1-1 2112222 1222-21 12-2--1 122---1 122---1 1-----1 21111-2 12-22-1 121-111 21-2222 11-1--2
12-2111 2--12-2 -111--2 1222--1 2-12-22 1222-21 21-22-2 2--22-2 12-2221 21122-2 2112222 12----1
211-222 12121-1 22221-1 1--2--1 1-22-11 2112--2 2-22222 12221-1 -2-21-1 2222--1 1--2111 1--2--1
1222211 21-1--2 2111-12 12-2121 12--1-1 21-11-2 2221-12 2-21--2 1111112 2111212 1222--1 1111112
22222-1 1111212 111-1-2 11--111 1--21-1 1222--1 2---222 1-22111 22222-1 11-1--2 12-2111 22-1222
-1111-2 1-1--11 111-111 2-----1 1-12--1 2222221 1111-11 2222--1 2222221 12221-1 1222121 2--22-2
1222--1 21-12-2 12-21-1 12221-1 1-----1 1-----1 2-22221 -222-21 --111-2 2222221 2222221 12221-1
22212-2 12-2--1 2111212 2222221 22221-1 1-----1 -111212 211-2-2 21-12-2 11-1--1 12-2111 2111-12
1222121 1--2--1 22-2--2 2111--2 1-----1 211-2-2 -1-12-2 -1-12-2 1121--2 1---2-2 21-11-2 1--11-1
12-21-1 21--2-2 22--1-1 12-21-1 2--12-2 1-22--1 2--1--2 2222--1 1222221 1111--2 211--22 1----11
2--22-2 2--12-2 2--12-2 1222--1 11-1--2 11-12-2 2-1---2 1--21-1 1222--1 22222-1 2112222 1--1111
21-12-2 21-12-2 122-111 21-1212 1--21-1 12-21-1 12-21-1 -22-2-1 1--21-1 21--2-2 1222-21 1222-21
2111212 21-1-22 1--21-1 2111212 21112-2 12-2--1 2--1212 1---1-1 22222-2 2--12-2 1---111 21----2
----1-2 1--1111 2--1222 12-2121 1---1-1 1---1-1 1222121 2---2-2 2222222 122---1 1--12-1 12----1
1222121 1222221 12-2--1 2-----2 ---12-2 12222-1 1122--1 21-12-2 2--22-2 2----22 2-22222 22222-2
222--21 2111212 1---1-1 21121-2 22-2-22 1-----1 1222--1 1-111-1 1111-12 1111111 2--22-2 1--21-2
11-1--1 2--22-2 222-222 2--1--2 2--2-22 11-1-12 22222-2 1--1-11 1--1--1 1111112 111---1 1---111
2-----2 12121-1 222---2 1--1-11 122---1 2222--2 21-1--2 22-22-1 2--22-2 21112-2 11221-2 12222-1
21112-2 2--1112 11-21-2 11-1111 1--21-1 1--11-1 -11---2 1-2-1-1 ----222 2--21-2 1222121 1111112
11111-1 1111111 2---2-1 12-11-1 1111111 2-2---2 -222--1 12--1-1 11--1-2 2---2-2 2-2-222 ---2111
----2-2 22-2222 2111122 2-2-2-2 ---1--2 2-11212 1-222-1 1-11111 21112-2 22-22-1 1---1-1 2-122-2
1---1-1 211-1-2 1-12121 2222221 2111212 222-222 ---1111 2111112 21--1-2 2---1-2 -222221 -112--2
21-1222 21212-2 2222221 1-11111 12-2-21 2---2-2 11--111 22222-2 1111212 -212111 -111112 11111-1
1-----1 1-----1 1222--1 1-1-1-1 1111112 1---111 1--1--1
"""


def read(words):
    """Votes of each model, None where it abstains, and the labels."""
    *votes, labels = zip(*words.split(), strict=True)
    votes = [[None if vote == "-" else vote for vote in one] for one in votes]
    return dict(zip(MODELS, votes, strict=True)), np.array(labels)


def majority(votes):
    """Share of the votes for the second answer; a half if nobody votes."""
    given = np.array([[np.nan if v is None else v == "2" for v in one] for one in votes.values()])
    count = (~np.isnan(given)).sum(axis=0)
    return np.where(count, np.nansum(given, axis=0) / np.maximum(count, 1), 0.5)


def accuracy(share, labels):
    """How often the more probable answer is right; ties count half."""
    return np.mean(np.where(share == 0.5, 0.5, (share > 0.5) == (labels == "2")))


# %%
# ``fit(votes)`` learns from agreement alone. With labels of 20 instructions, the others evaluate
# the result, for ten random choices of these.

accuracies, weights = {}, {}
for name, words in {"everyday": NATURAL, "deceiving": ADVERSARIAL}.items():
    votes, labels = read(words)
    fusion = EvidentialFusion().fit(votes)
    weights[name] = fusion.fusion_by_name_["weights_"]
    alone = accuracy(fusion.predict_proba(votes)[:, 1], labels)
    helped = []
    for seed in range(10):
        known = np.random.default_rng(seed).choice(len(labels), 20, replace=False)
        some = np.full(len(labels), None, dtype=object)
        some[known] = labels[known]
        p = EvidentialFusion().fit(votes, some).predict_proba(votes)[:, 1]
        rest = np.delete(np.arange(len(labels)), known)
        helped.append(accuracy(p[rest], labels[rest]))
    accuracies[name] = [accuracy(majority(votes), labels), alone, np.mean(helped)]
    texts = ", ".join(f"{model} {weight:.2f}" for model, weight in weights[name].items())
    print(f"{name:9} majority, consensus, with labels: {np.round(accuracies[name], 3)}; {texts}")

everyday, deceiving = accuracies["everyday"], accuracies["deceiving"]
assert np.round(everyday[:2], 2).tolist() == [0.93, 0.94]
assert deceiving[1] < deceiving[0] <= 0.5
assert deceiving[2] > 0.8
assert abs(everyday[2] - everyday[1]) < 0.02

# %%
# GPT-4 agrees with people most, but on deceiving instructions not with the models that err, so
# agreement gives it the least weight there. Nothing in the votes shows which of them are wrong.

single = {
    model: accuracy(majority({model: votes[model]}), labels) for model in MODELS
}  # of the deceiving instructions
print(", ".join(f"{model} {share:.2f}" for model, share in single.items()))
assert sorted(single, key=single.get)[:3] == ["ChatGPT", "LLaMA 2", "ChatGPT 0301"]
assert max(sorted(single.values())[:3]) < 0.4
assert max(single, key=single.get) == "GPT-4"
assert min(weights["deceiving"], key=weights["deceiving"].get) == "GPT-4"

ways = ["majority", "consensus,\nno labels", "consensus,\n20 labels"]
titles = "100 everyday instructions", "319 deceiving instructions"
colors = [COLORS[name] for name in ("gray", "vermilion", "blue")]
figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained", sharey=True)
for ax, title, values in zip(axes, titles, accuracies.values(), strict=True):
    ax.bar_label(ax.barh(ways, values, color=colors), fmt="%.2f", padding=3)
    ax.axvline(0.5, color="k", ls=":", lw=1)
    ax.set(xlim=(0, 1.15), xticks=[0, 0.5, 1], xlabel="accuracy")
    ax.set_title(title, loc="left", fontsize="medium")
axes[0].invert_yaxis()
title = "Without labels, a jury follows the models that agree, right or wrong"
figure.suptitle(title, x=0.01, ha="left")
plt.show()
