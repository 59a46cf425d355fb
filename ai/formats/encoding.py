"""Decodes the bytes of a game file: as the file says, else as UTF-8, else by a guess.

Names are the only foreign text of most game files, and often a few letters long. So an encoding is
guessed from how plausible these few letters are in it. The package charset-normalizer decides
between encodings in which they are equally plausible.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

_PLAIN: Final = ("utf-8", "ascii", "koi8-r", "koi8-u")
_ASIAN: Final = (
    *("gb2312", "gbk", "gb18030", "hz", "big5", "big5hkscs", "cp950"),
    *("euc_jp", "shift_jis", "euc_kr"),
)
_ISO: Final = tuple(f"iso8859-{part}" for part in (1, 2, 5, 15))
_CODE_PAGES: Final = tuple(f"cp{page}" for page in (932, 949, 1250, 1251, 1252))
ENCODINGS: Final = frozenset((*_PLAIN, *_ASIAN, *_ISO, *_CODE_PAGES))
"""Python's names of the encodings that a game file may name."""
_WIDER: Final = {
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
"""For encodings, the one that has the same characters and those that programs add to them.

Source: the WHATWG's Encoding Standard, which reads files of these names with their wider ones.
"""
_OTHER_NAMES: Final = {
    **dict.fromkeys(("windows-936", "ms936", "x-gbk", "x-cp936"), "gbk"),
    **dict.fromkeys(("windows-950", "x-big5", "x-x-big5"), "cp950"),
    **dict.fromkeys(("x-sjis", "sjis-win", "x-ms-cp932", "windows-31j"), "cp932"),
    **dict.fromkeys(("x-euc-jp", "x-eucjp"), "euc_jp"),
    **dict.fromkeys(("windows-949", "x-windows-949", "x-euc-kr"), "cp949"),
}
"""Names that files have for encodings, and Python does not know."""
_UTF_8: Final = "utf-8"
_MARKS: Final = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_TWO_BYTES: Final = re.compile(rb"[\xc2-\xdf][\x80-\xbf]")
_THREE_BYTES: Final = re.compile(rb"[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")


def encoding_named(word: str) -> str:
    """Return Python's name of the encoding that a file names, one of `ENCODINGS`; "" if unknown.

    >>> encoding_named("GB2312"), encoding_named("x-sjis"), encoding_named("klingon")
    ('gb2312', 'cp932', '')
    """
    plain = word.strip().lower()
    try:
        found = codecs.lookup(_OTHER_NAMES.get(plain, plain)).name
    except (LookupError, ValueError):  # ValueError: a name with a zero character
        return ""
    return found if found in ENCODINGS else ""


def decoded(content: bytes, named: str = "") -> tuple[str, str]:
    """Return a file's text, and a note about the encoding if it was guessed, else "".

    Args:
        content: the file's bytes.
        named: the encoding that the file names, one of `ENCODINGS`; "" if it names none.
    """
    marked = [kind for mark, kind in _MARKS.items() if content.startswith(mark)]
    is_named_wrong = named not in ("", _UTF_8) and _is_surely_utf_8(content)
    told = [] if is_named_wrong else [named or _UTF_8, *filter(None, [_WIDER.get(named)])]
    for encoding in (*marked, *told, _UTF_8):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        is_told = encoding in (*marked, *told)
        return text, "" if is_told else f"read as UTF-8, though it names {named}"
    why = f"it is not the {named} that it names" if named else "it is not UTF-8 and names none"
    for encoding in guesses(content):
        try:
            return content.decode(encoding), f"its encoding is guessed ({encoding}), since {why}"
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1"), f"its encoding is not known, since {why}; read as latin-1"


def _is_surely_utf_8(content: bytes) -> bool:
    """Return whether bytes are UTF-8, with so much beyond ASCII that it is no coincidence."""
    try:
        content.decode(_UTF_8)
    except UnicodeDecodeError:
        return False
    long = len(_THREE_BYTES.findall(content[: 1 << 20]))
    return long >= 2 or long + len(_TWO_BYTES.findall(content[: 1 << 20])) >= 6


# -- guessing -----------------------------------------------------------------------------------

_SAMPLE: Final = 1 << 16  # bytes from which an encoding is guessed
_MOST_LETTERS: Final = 2000
_FEW: Final = 40
"""Bytes beyond ASCII, up to which a fixed order decides between equally plausible encodings.

For more of them charset-normalizer decides.
"""
_THREE_SYLLABLES: Final = 6
"""Bytes from which on it is hardly by chance that all letters of a Chinese text would be Korean."""
_HANGUL: Final = ("cp949",)
_FOREIGN: Final = re.compile(rb"[\x80-\xff]")
_FOREIGN_PAIR: Final = re.compile(rb"[\x80-\xff]{2}")
_HIGH: Final = r"\xa1-\xfe"
_COMMON: Final = {
    "gb18030": rf"[\xb0-\xd7][{_HIGH}]",
    "cp949": rf"[\xb0-\xc8][{_HIGH}]",
    "cp932": r"[\x82\x83\x88-\x97].",
    "big5": r"[\xa4-\xc6].",
    "euc_jp": rf"[\xa4\xa5\xb0-\xcf][{_HIGH}]",
}
"""The bytes of the common characters of each Asian encoding, as a pattern of Latin-1."""
_CYRILLIC: Final = ("cp1251", "koi8-r")
_NEVER_FIRST: Final = "ЪЫЬъыь"
"""Letters with which no Russian word begins."""
_WESTERN: Final = ("cp1250", "cp1252")
_SURNAMES: Final = {
    "gb18030": "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余"
    "杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎"
    "贺顾毛郝龚邵万钱严覃武戴莫孔向汤常温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟申欧耿"
    "关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕单裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华"
    "喻祁房屈饶解牟艾尤阳时穆农司古吉缪简车项连芦麦褚窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全"
    "佟应臧闵苟边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝官封谈匡鞠惠荆"
    "乐冀郁胥南班储原栗燕楚鄢劳谌奚皮粟冼蔺楼盘满闻位厉伊仝区郜海阚花权强帅屠豆朴盖练廉禹"
    "井祖漆巴丰支卿国狄平计索宣晋相初门云容敬来扈晁芮都普阙浦戈伏鹿薄邸雍辜羊阿乌母裘亓修"
    "邰赫杭况那宿鲜",
    "big5": "王李張劉陳楊黃趙吳周徐孫馬朱胡郭何高林羅鄭梁謝宋唐許韓馮鄧曹彭曾蕭田董袁潘于蔣蔡余杜"
    "葉程蘇魏呂丁任沈姚盧姜崔鐘譚陸汪范金石廖賈夏韋付方白鄒孟熊秦邱江尹薛閆段雷侯龍史陶黎"
    "賀顧毛郝龔邵萬錢嚴覃武戴莫孔向湯常溫康施文牛葛邢安齊易喬伍龐顏倪莊聶章魯岳翟申歐耿關"
    "蘭焦俞左柳甘祝包寧尚符舒阮柯紀梅童凌畢單裴霍涂成苗谷盛曲翁冉駱藍路游辛靳管柴蒙鮑華喻"
    "祁房屈饒解牟艾尤陽穆司古吉簡車項連麥詹傅鍾賴洪卓巫",
    "cp932": "佐鈴高田伊渡山中小加吉木林松井清斎斉齋池橋阿石前藤後岡長村近遠青坂福西三太岩原上久河"
    "飯早神大牧内金菅新和宮柴酒須杉平星土今野丸奥服本水沢関千古島増武北安工市永川荒浜秋桜"
    "白堀南東矢谷森横馬黒望竹柳梅萩岸細浅榎伏笠片樋熊植根寺深氷富門生菊五二一",
    "cp949": "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진나"
    "지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제탁국은편용예경봉사"
    "부보",
}
_SURNAMES["euc_jp"] = _SURNAMES["cp932"]
"""Characters with which common family names begin, by the encoding in which they are written."""
_PLAYERS: Final = re.compile(rb"P[BW]\s*\[([^\]]{2})")
_NAMED: Final = 0.4
"""What an Asian encoding gains if a player's name begins with a common family name in it."""
_NAMED_FROM: Final = 0.5
"""Share of plausible letters from which on the names count."""
_RARE: Final = "ƒĺŕă"
"""Letters that hardly stand in a name, but in cp1250 or cp1252 have the bytes of others that do."""
_ISOLATED: Final = 0.01
"""What an Asian encoding loses if no two bytes beyond ASCII are neighbours, as in western names."""


def guesses(content: bytes) -> list[str]:
    """Return the encodings in which a file's foreign letters are plausible, the best one first.

    They are read from a part of the file that begins before the first byte beyond ASCII and ends
    at a semicolon or a line end, since these are no part of a character in any encoding here.

    Args:
        content: the file's bytes, which are not UTF-8.
    """
    from charset_normalizer import from_bytes  # 0.1 s, and few files need it

    foreign = _FOREIGN.search(content)
    begin = 0 if foreign is None else max(0, foreign.start() - 200)
    sample = content[begin : begin + _SAMPLE]
    if begin + _SAMPLE < len(content):
        cut = max(sample.rfind(b";"), sample.rfind(b"\n"))
        sample = sample[: cut + 1] or sample
    tried = (*_COMMON, *_WESTERN, *_CYRILLIC)
    known = [codecs.lookup(name).name for name in tried]
    count = len(_FOREIGN.findall(sample))
    if count > _FEW:
        order = [match.encoding for match in from_bytes(sample, cp_isolation=known)]
    else:
        order = [*(_HANGUL if count >= _THREE_SYLLABLES else ()), *tried]
    names = sorted(tried, key=lambda name: order.index(name) if name in order else len(tried))
    worth = {name: plausibility(sample, name) + _name_bonus(sample, name) for name in names}
    return sorted((name for name in names if worth[name] >= 0.0), key=lambda name: -worth[name])


def plausibility(sample: bytes, encoding: str) -> float:
    """Return which share of a text's foreign letters is plausible in an encoding.

    Args:
        sample: a part of the text, cut between letters.
        encoding: name of the encoding.

    Returns:
        0 to 1; -1.0 if the bytes cannot be decoded.
    """
    try:
        text = sample.decode(encoding)
        places = [at for at, letter in enumerate(text) if not letter.isascii()][:_MOST_LETTERS]
        if encoding in _COMMON:
            common = re.compile(_COMMON[encoding], re.DOTALL)
            raw = [text[at].encode(encoding).decode("latin-1") for at in places]
            found = sum(common.fullmatch(letter) is not None for letter in raw)
        elif encoding in _CYRILLIC:
            found = sum(_is_cyrillic(text, at) for at in places)
        else:
            found = sum(_is_western(text, at) for at in places)
    except UnicodeError:
        return -1.0
    share = found / max(1, len(places))
    is_isolated = encoding in _COMMON and _FOREIGN_PAIR.search(sample) is None
    return max(0.0, share - _ISOLATED * is_isolated)


def _name_bonus(sample: bytes, encoding: str) -> float:
    """Return what an encoding gains because a player's name begins like a family name in it."""
    begun = [found for found in _PLAYERS.findall(sample) if not found.isascii()]
    if encoding not in _SURNAMES or not begun:
        return 0.0
    if plausibility(sample, encoding) < _NAMED_FROM:
        return 0.0
    known = sum(item.decode(encoding, "replace") in _SURNAMES[encoding] for item in begun)
    return _NAMED * known / len(begun)


def _is_cyrillic(text: str, at: int) -> bool:
    """Return whether a letter is Russian and no capital inside a word."""
    letter, before = text[at], text[at - 1 : at]
    is_russian = "А" <= letter <= "я" or letter in "Ёё"
    beside = before + text[at + 1 : at + 2]
    is_mixed = any(other.isascii() and other.isalpha() for other in beside)
    is_begun = before.isalpha() or letter not in _NEVER_FIRST
    return is_russian and is_begun and not is_mixed and not (letter.isupper() and before.islower())


def _is_western(text: str, at: int) -> bool:
    """Return whether a letter is of a western name: with few foreign neighbours, and no symbol."""
    letter, before = text[at], text[at - 1 : at]
    if not letter.isalpha() or letter in _RARE or (letter.isupper() and before.islower()):
        return False
    around = text[max(0, at - 2) : at + 3]
    return sum(not other.isascii() for other in around) <= 2
