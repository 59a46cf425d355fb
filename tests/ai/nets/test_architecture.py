from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from ai.nets.architecture import (
    HYBRID,
    LAYOUTS,
    PAPER,
    Architecture,
    ArchitectureError,
    InferenceNetwork,
    WeightsError,
    check_weights,
    draw_weights,
    parse_hidden,
    parse_kernel_sizes,
)


def test_the_papers_net_has_49_128_516_and_49_neurons():
    architecture = Architecture(7, 1, PAPER)
    assert [layer.outputs for layer in architecture.layers] == [49, 128, 516, 49]
    assert architecture.layers[0].kernel_shape == (3, 3, 1, 49)


def test_the_hybrid_net_is_two_branches_unless_one_is_switched_off():
    assert [len(chain) for chain in Architecture(7, 2, HYBRID).chains] == [4, 2]
    assert [len(chain) for chain in Architecture(7, 2, HYBRID, branch=0).chains] == [4]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [3, 7, 9])
def test_every_layout_answers_with_one_score_a_point(layout, size):
    architecture = Architecture(size, 2, layout, hidden=(4, 5, 6), branch=7)
    network = InferenceNetwork(architecture, draw_weights(architecture, np.random.default_rng(0)))
    features = np.random.default_rng(1).normal(size=(3, size * size, 2)).astype(np.float32)
    logits = network.logits(features)
    assert logits.shape == (3, size * size)
    np.testing.assert_allclose(network.logits(features[1:2])[0], logits[1], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dead", [(1,), (0, 1, 2, 3), ()])
def test_neurons_that_are_always_0_change_no_answer(layout, dead):
    architecture = Architecture(5, 2, layout, hidden=(4, 4, 4), branch=4)
    rng = np.random.default_rng(0)
    whole = draw_weights(architecture, rng)
    for chain in architecture.chains:
        for layer in chain[:-1]:
            whole[f"{layer.name}.kernel"][..., list(dead)] = 0.0
    barely = {name: array.copy() for name, array in whole.items()}
    for chain in architecture.chains:
        for layer in chain[:-1]:
            barely[f"{layer.name}.bias"][list(dead)] = -1e-30  # 0 after the ReLU, and computed
    features = rng.normal(size=(6, 25, 2)).astype(np.float32)
    found, expected = (
        InferenceNetwork(architecture, weights).logits(features) for weights in (whole, barely)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


def test_three_5x5_kernels_see_what_a_row_of_five_needs():
    architecture = Architecture(13, 3, HYBRID, hidden=(4, 4, 4), branch=0, kernel_sizes=(5, 5, 5))
    network = InferenceNetwork(architecture, draw_weights(architecture, np.random.default_rng(0)))
    features = np.zeros((1, 169, 3), np.float32)
    base = network.logits(features)
    features[0, 0, 0] = 1.0
    changed = np.abs(network.logits(features) - base).reshape(13, 13) > 0
    assert changed[:7, :7].any(axis=0).all()
    assert not changed[7:].any()


@pytest.mark.parametrize("sizes", [(3, 3), (3, 4, 3), (0, 3, 3), (3, 3, 17)])
def test_kernels_that_have_no_centre_are_refused(sizes):
    with pytest.raises(ArchitectureError, match="kernel_sizes: expected three odd numbers"):
        Architecture(7, 2, HYBRID, kernel_sizes=sizes)


@pytest.mark.parametrize("text", ["5,5", "a,b,c", ""])
def test_a_text_that_names_no_three_kernels_is_refused(text):
    with pytest.raises(ArchitectureError, match="kernel_sizes: expected three numbers"):
        parse_kernel_sizes(text)


def test_the_convolutions_of_the_hybrid_see_a_neighbourhood_only():
    architecture = Architecture(9, 2, HYBRID, hidden=(4, 4, 4), branch=0)
    network = InferenceNetwork(architecture, draw_weights(architecture, np.random.default_rng(0)))
    features = np.zeros((1, 81, 2), np.float32)
    base = network.logits(features)
    features[0, 0, 0] = 1.0
    changed = np.abs(network.logits(features) - base).reshape(9, 9) > 0
    assert changed[:4, :4].any()
    assert not changed[4:].any()
    assert not changed[:, 4:].any()


def test_the_answer_is_the_softmax_of_the_scores():
    architecture = Architecture(3, 1, PAPER, hidden=(2, 3, 4))
    network = InferenceNetwork(architecture, draw_weights(architecture, np.random.default_rng(0)))
    features = np.ones((1, 9, 1), np.float32)
    answer, logits = network.estimate(features)[0], network.logits(features)[0]
    assert (np.argsort(answer) == np.argsort(logits)).all()
    assert answer.sum() == pytest.approx(1.0)


def test_first_weights_depend_on_the_seed_alone():
    architecture = Architecture(7, 1)
    first, again, other = (draw_weights(architecture, np.random.default_rng(s)) for s in (1, 1, 2))
    assert all((first[name] == again[name]).all() for name in first)
    assert any((first[name] != other[name]).any() for name in first)


def test_weights_that_do_not_fit_are_refused_by_name():
    architecture = Architecture(3, 1, hidden=(2, 3, 4))
    weights = draw_weights(architecture, np.random.default_rng(0))
    with pytest.raises(WeightsError, match=r"hidden_2\.bias: expected an array"):
        check_weights(architecture, {k: v for k, v in weights.items() if k != "hidden_2.bias"})
    with pytest.raises(WeightsError, match="expected the shape"):
        check_weights(Architecture(4, 1, hidden=(2, 3, 4)), weights)
    weights["output.bias"][0] = np.nan
    with pytest.raises(WeightsError, match="NaN"):
        check_weights(architecture, weights)


@pytest.mark.parametrize("text", ["", "1,2", "1,2,3,4", "1,0,3", "a,b,c"])
def test_bad_hidden_layers_are_refused(text):
    with pytest.raises(ArchitectureError, match="hidden: expected"):
        parse_hidden(text)


def test_unknown_layouts_are_refused():
    with pytest.raises(ArchitectureError, match="layout: expected"):
        Architecture(7, 1, "deep")


@pytest.mark.parametrize("hidden", [(8,), (8, 8), (16, 8, 8)])
def test_only_the_last_layer_of_a_chain_is_drawn_small(hidden):
    chain = tuple(
        SimpleNamespace(name=f"layer{n}", fan_in=24, kernel_shape=(24, 50), outputs=50)
        for n in range(len(hidden) + 1)
    )
    net = SimpleNamespace(chains=(chain,), layers=chain)
    weights = draw_weights(net, np.random.default_rng(1))
    sizes = [float(np.abs(weights[f"{layer.name}.kernel"]).max()) for layer in chain]
    assert sizes[-1] == pytest.approx(0.05, rel=0.05)
    assert sizes[:-1] == pytest.approx([0.5] * len(hidden), rel=0.05)
    assert not any(weights[f"{layer.name}.bias"].any() for layer in chain)
