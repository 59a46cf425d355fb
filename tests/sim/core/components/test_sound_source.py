"""`sim:Sound`: a sound that goes on in the scene's time, heard or not."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from base.errors import FieldError
from sim.core.audio.sound_bank import RATE, SoundError, sound_seconds, to_wav
from sim.core.components.sound_source import FADE, Sound, heard
from sim.core.geometry.camera_pose import CameraPose, CameraView
from sim.core.scene.scene import SlotState
from tests.shipped import shipped_sounds
from tests.sim.core.stage import Stage, thing

LISTENER = """
class Listener(Script):
    horn: Sound = field(None)
    def awake(self): self.ends = 0
    @on("horn.finished")
    def ended(self): self.ends += 1
"""

BANK = shipped_sounds()


def bank_seconds(name):
    return len(BANK.samples(name)) / RATE


class HeardVoice:
    def __init__(self, clip, loops):
        self.clip, self.loops = clip, loops
        self.calls: list[tuple] = []
        self.last: dict = {}

    def start(self, at):
        self.calls.append(("start", at))

    def stop(self):
        self.calls.append(("stop",))

    def adjust(self, **how):
        self.last = how


class HeardSound:
    """A loudspeaker that keeps what it was told."""

    def __init__(self):
        self.muted = False
        self.volume = 1.0
        self.bank = BANK
        self.voices: list[HeardVoice] = []
        self.forgotten: list = []
        self.reads_captions = False
        self.going_on: dict[str, str] = {}

    def play(self, name, *, volume=1.0, position=None):
        pass

    def caption(self, words, source=""):
        self.going_on[source] = words

    def voice(self, clip, *, loops):
        self.voices.append(HeardVoice(clip, loops))
        return self.voices[-1]

    def forget(self, file):
        self.forgotten.append(file)


@pytest.fixture
def stage(stage):
    (stage.root / "assets").mkdir()
    stage.script("listener", LISTENER)
    return stage


def wav(stage: Stage, name: str, seconds: float) -> str:
    samples = np.sin(np.arange(round(seconds * RATE)) * 0.06).astype(np.float32)
    (stage.root / "assets" / name).write_bytes(to_wav(samples))
    return f"assets/{name}"


def open_horn(stage: Stage, *, instant: bool = False, **fields) -> Sound:
    parts = {
        "cmp_horn": ("sim:Sound", fields),
        "cmp_ear": ("scripts.listener:Listener", {"horn": {"$ref": "cmp_horn"}}),
    }
    stage.open({"obj_horn": thing("Horn", parts, position=[0, 0, 0])}, instant=instant)
    return stage.slot("cmp_horn").instance


def ends(stage: Stage) -> int:
    return stage.slot("cmp_ear").instance.ends


@pytest.mark.parametrize(("pitch", "frames"), [(1.0, 30), (2.0, 15), (0.5, 60)])
def test_it_ends_after_its_length_by_pitch_and_tells_once(stage, pitch, frames):
    horn = open_horn(stage, clip=wav(stage, "half.wav", 0.5), pitch=pitch)
    stage.frames(frames - 2)
    assert horn.playing
    assert horn.duration == pytest.approx(0.5, abs=1e-4)
    assert ends(stage) == 0
    stage.frames(4)
    assert not horn.playing
    assert ends(stage) == 1
    horn.play()
    stage.frames(frames + 2)
    assert ends(stage) == 2


def test_a_loop_goes_on_until_it_is_stopped_and_does_not_end(stage):
    horn = open_horn(stage, clip=wav(stage, "tenth.wav", 0.1), loop=True)
    stage.frames(40)
    assert horn.playing
    assert 0.0 <= horn.elapsed < 0.1
    horn.stop()
    stage.frames(20)
    assert not horn.playing
    assert ends(stage) == 0


def test_at_maximum_speed_its_end_is_there_at_once(stage):
    open_horn(stage, instant=True, clip="win")
    stage.frames(2)
    assert ends(stage) == 1


def test_it_waits_where_it_is_not_to_begin_and_while_time_stands(stage):
    horn = open_horn(stage, clip="stone", play_on_start=False)
    stage.frames(30)
    assert not horn.playing
    horn.play()
    stage.app.clock.pause()
    stage.frames(60)
    assert horn.playing
    assert ends(stage) == 0
    stage.app.clock.resume()
    stage.frames(math.ceil(bank_seconds("stone") * 60) + 1)
    assert ends(stage) == 1


def test_it_ends_with_its_object_and_begins_with_it(stage):
    horn = open_horn(stage, clip="win")
    stage.app.run_context.sound = speaker = HeardSound()
    stage.frames(2)
    horn.object.enabled = False
    stage.frames(1)
    assert not horn.playing
    horn.object.enabled = True
    stage.frames(2)
    assert horn.playing
    voice = speaker.voices[-1]
    horn.object.destroy()
    stage.frames(2)
    assert voice.calls == [("start", 0.0), ("stop",)]


def test_what_is_heard_follows_object_fields_and_clock(stage):
    horn = open_horn(stage, clip=wav(stage, "long.wav", 20.0), play_on_start=False)
    stage.app.run_context.sound = speaker = HeardSound()
    stage.app.scene.camera.view = CameraView(elevation=0.0, distance=20.0)  # the eye at y = -20
    horn.volume, horn.min_distance, horn.max_distance = 0.5, 10.0, 100.0
    horn.play()
    stage.frames(1)
    voice = speaker.voices[0]
    assert voice.clip.file == stage.root / "assets" / "long.wav"
    assert voice.calls == [("start", 0.0)]
    assert voice.last["volume"] == pytest.approx(0.25)
    assert voice.last["direction"] == pytest.approx((0.0, 1.0, 0.0))
    horn.object.transform.position = (20.0, -20.0, 0.0)
    stage.frames(1)
    assert voice.last["direction"] == pytest.approx((1.0, 0.0, 0.0), abs=1e-6)
    stage.app.scene.camera.view = CameraView(azimuth=180.0, elevation=0.0, distance=20.0)
    stage.frames(1)
    assert voice.last["direction"][0] < -0.4, "the listener turns with the camera"
    horn.positional = False
    stage.frames(1)
    assert (voice.last["volume"], voice.last["direction"]) == (0.5, (0.0, 1.0, 0.0))
    horn.mute = True
    stage.app.clock.pause()
    stage.frames(1)
    assert (voice.last["volume"], voice.last["is_held"]) == (0.0, True)
    assert len(speaker.voices) == 1


def test_an_edited_clip_takes_over_and_a_bad_one_is_taken_back(stage):
    horn = open_horn(stage, clip="win", loop=True)
    stage.app.run_context.sound = speaker = HeardSound()
    slot = stage.slot("cmp_horn")
    stage.app.host.set_field(slot, "clip", "lose")
    stage.frames(2)
    assert horn.duration == bank_seconds("lose")
    assert horn.playing
    assert speaker.voices[-1].clip.name == "lose"
    with pytest.raises(FieldError) as refused:
        stage.app.host.set_field(slot, "clip", "assets/gone.wav")
    text = str(refused.value)
    assert "Sound.clip: expected a sound, found assets/gone.wav: No such file" in text
    stage.frames(5)
    assert stage.errors() == 0
    assert slot.state is SlotState.READY
    assert (horn.clip, horn.playing) == ("lose", True)
    assert speaker.voices[-1].clip.name == "lose"
    stage.app.host.set_field(slot, "clip", "win")
    stage.frames(2)
    assert slot.state is SlotState.READY
    assert stage.errors() == 0


BAD = {
    "drum": "one of stone, tap, win, lose, found 'drum'",
    "assets/a.mp3": "a file of .wav, .ogg, .flac, found 'assets/a.mp3'",
    "../a.wav": "a path inside the project, found '../a.wav'",
    "assets/text.wav": "a sound in a WAV file, found none in assets/text.wav",
    "assets/short.ogg": "a sound in a OGG file, found none in assets/short.ogg",
}


@pytest.mark.parametrize("clip", BAD, ids=BAD)
def test_a_bad_clip_is_one_error_and_the_scene_goes_on(stage, clip):
    (stage.root / "assets" / "text.wav").write_text("no sound")
    (stage.root / "assets" / "short.ogg").write_bytes(b"OggS" + bytes(20))
    horn = open_horn(stage, clip=clip)
    stage.frames(3)
    assert stage.errors() == 1
    assert BAD[clip] in str(stage.slot("cmp_horn").error)
    assert not horn.playing


def test_the_distances_are_checked(stage):
    open_horn(stage, clip="win", min_distance=5.0, max_distance=5.0)
    stage.frames(2)
    assert stage.errors() == 1
    expected = "Sound.max_distance: expected more than min_distance, 5 m, found 5 m"
    assert expected in str(stage.slot("cmp_horn").error)


@given(st.tuples(*[st.floats(-500, 500)] * 3), st.floats(0.1, 50.0), st.floats(60.0, 400.0))
@example((49.0, 0.0, 0.0), 49.0, 60.0)  # it is heard in full where fading would have begun
def test_what_is_heard_is_sound_everywhere(place, nearest, farthest):
    eye = CameraPose.looking_at((1.0, 2.0, 3.0), (4.0, -3.0, 1.0), 32.0)
    loudness, direction = heard(eye, place, nearest, farthest)
    distance = float(np.linalg.norm(np.array(place) - eye.position))
    assert 0.0 <= loudness <= 1.0
    assert np.linalg.norm(direction) == pytest.approx(1.0)
    assert (loudness == 1.0) == (distance <= nearest or math.isclose(distance, nearest))
    assert (loudness == 0.0) == (distance >= farthest)


def test_lengths_are_read_from_all_kinds_of_files(tmp_path):
    (tmp_path / "a.wav").write_bytes(to_wav(BANK.samples("win")))
    assert sound_seconds(tmp_path, "a.wav") == pytest.approx(bank_seconds("win"))
    vorbis = b"\x01vorbis" + struct.pack("<IBI", 0, 1, 22_050)
    first = b"OggS\0\x02" + struct.pack("<q", 0) + bytes(14) + vorbis
    last = b"OggS\0\x04" + struct.pack("<q", 33_075) + bytes(20)
    (tmp_path / "a.ogg").write_bytes(first + bytes(40) + last)
    assert sound_seconds(tmp_path, "a.ogg") == pytest.approx(1.5)
    packed = (48_000 << 44) | (1 << 41) | (15 << 36) | 120_000
    info = b"fLaC\0\0\0\x22" + bytes(10) + packed.to_bytes(8)
    (tmp_path / "a.flac").write_bytes(info + bytes(16))
    assert sound_seconds(tmp_path, "a.flac") == pytest.approx(2.5)
    (tmp_path / "cut.wav").write_bytes(to_wav(BANK.samples("win"))[:30])
    with pytest.raises(SoundError, match=r"expected a sound in a WAV file, found none in cut\.wav"):
        sound_seconds(tmp_path, "cut.wav")


def test_a_sound_fades_over_the_last_of_its_distance():
    eye = CameraPose.looking_at((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), 32.0)
    middle = 10.0 * (1.0 + FADE) / 2.0
    for distance, share in ((10.0 * FADE, 1.0), (middle, 0.5), (10.0, 0.0)):
        loudness, _ = heard(eye, (0.0, distance, 0.0), 1.0, 10.0)
        assert loudness == pytest.approx(share / distance)


def test_a_caption_names_a_loop_as_long_as_it_is_heard(stage):
    horn = open_horn(stage, clip="stone", loop=True, caption="a horn")
    stage.app.run_context.sound = speaker = HeardSound()
    told = speaker.going_on
    stage.frames(2)
    assert not any(told.values()), "nobody reads captions"
    speaker.reads_captions = True
    stage.frames(1)
    assert told == {"cmp_horn": "a horn"}
    horn.mute = True
    stage.frames(1)
    assert told == {"cmp_horn": ""}
    horn.mute, horn.caption = False, ""
    stage.frames(1)
    assert told == {"cmp_horn": "stone"}
    horn.stop()
    assert told == {"cmp_horn": ""}
