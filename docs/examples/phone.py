#!/usr/bin/env python3
"""A device client that uploads calls and text messages, written from the pages docs/protocol*.md and docs/envelope-format.md alone.

    python3 phone.py enrolment.json recording.mp3 --email harriet.cole@acme.example --other +447700900501

Needs Python 3.9 and OpenSSL 3 only. Encrypts the recording into the queue, uploads the queue, and prints
"<payload_reference> processed" for each payload whose copy it has deleted. Run it again after a crash, or without a recording, to upload
what is queued. Ends with 1 if something stays in the queue. enrolment.json holds the text that the portal shows. With the enrolment
of a person the device belongs to that person, and --email has no effect. With --sign-in it belongs to the person who signs in at the
address that it prints. This is an example to read: a real device keeps its keys in the keystore.
"""

import argparse
import base64
import ctypes
import ctypes.util
import email.utils
import hashlib
import hmac
import http.server
import io
import json
import os
import pathlib
import random
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

TRIES = 6
SEGMENT = 262144
HEADER = 40
TAG = 16


# --- Sealing: envelope-format.md -------------------------------------------------------------------------------------------------

crypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
for name in ("EVP_CIPHER_CTX_new", "EVP_aes_256_gcm"):
    getattr(crypto, name).restype = ctypes.c_void_p


def aes_gcm(key: bytes, iv: bytes, plain: bytes, associated: bytes = b"") -> bytes:
    """AES-256-GCM with an iv of 12 bytes: ciphertext | tag."""
    context = ctypes.c_void_p(crypto.EVP_CIPHER_CTX_new())
    sealed, tag, length = ctypes.create_string_buffer(len(plain) + 16), ctypes.create_string_buffer(TAG), ctypes.c_int()
    try:
        steps = [crypto.EVP_EncryptInit_ex(context, ctypes.c_void_p(crypto.EVP_aes_256_gcm()), None, key, iv)]
        if associated:
            steps.append(crypto.EVP_EncryptUpdate(context, None, ctypes.byref(length), associated, len(associated)))
        steps.append(crypto.EVP_EncryptUpdate(context, sealed, ctypes.byref(length), plain, len(plain)))
        steps.append(crypto.EVP_EncryptFinal_ex(context, ctypes.create_string_buffer(16), ctypes.byref(ctypes.c_int())))
        get_tag = 0x10
        steps.append(crypto.EVP_CIPHER_CTX_ctrl(context, get_tag, TAG, tag))
        if any(step != 1 for step in steps):
            raise RuntimeError("OpenSSL could not seal")
        return sealed.raw[: len(plain)] + tag.raw
    finally:
        crypto.EVP_CIPHER_CTX_free(context)


def associated_data(client: str, payload_reference: str, kind: str) -> bytes:
    """What binds sealed bytes to their payload ("Associated data")."""
    fields = (client, payload_reference, kind)
    return "|".join(["custodia/v1", *(f"{len(each.encode())}:{each}" for each in fields)]).encode()


def derived_key(dek: bytes, salt: bytes, info: bytes) -> bytes:
    """HKDF-SHA256 (RFC 5869); one block of 32 bytes is enough."""
    return hmac.digest(hmac.digest(salt, dek, "sha256"), info + b"\x01", "sha256")


def seal_recording(dek: bytes, associated: bytes, source, target) -> None:
    """Encrypts segment by segment, so that a recording of any size takes the memory of one segment ("A sealed recording")."""
    salt, prefix = secrets.token_bytes(32), secrets.token_bytes(7)
    key = derived_key(dek, salt, associated)
    target.write(bytes([HEADER]) + salt + prefix)
    index, segment = 0, source.read(SEGMENT - HEADER - TAG)
    while True:
        following = source.read(SEGMENT - TAG)
        nonce = prefix + index.to_bytes(4, "big") + (b"\x00" if following else b"\x01")
        target.write(aes_gcm(key, nonce, segment))
        if not following:
            return
        index, segment = index + 1, following


def wrap(dek: bytes, kek: str) -> str:
    """RSA-OAEP with SHA-256 as hash and in MGF1 ("encrypted_dek")."""
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
        file.write(kek)
        file.flush()
        options = ("rsa_padding_mode:oaep", "rsa_oaep_md:sha256", "rsa_mgf1_md:sha256")
        command = ["openssl", "pkeyutl", "-encrypt", "-pubin", "-inkey", file.name]
        for option in options:
            command += ["-pkeyopt", option]
        return to_base64(subprocess.run(command, input=dek, stdout=subprocess.PIPE, check=True).stdout)


def ulid(at: float) -> str:
    """48 bits of milliseconds and 80 random ones, in Crockford's base32."""
    number = int(at * 1000) << 80 | secrets.randbits(80)
    return "".join("0123456789ABCDEFGHJKMNPQRSTVWXYZ"[number >> 5 * i & 31] for i in range(25, -1, -1))


def to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def to_base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


# --- Calls: protocol.md, protocol-enrolment.md -----------------------------------------------------------------------------------


class Refused(Exception):
    """An error that a repetition does not change."""

    def __init__(self, status: int, problem: dict, date: str):
        super().__init__(f"{status} {problem.get('code')}: {problem.get('message')}")
        self.status, self.code, self.date = status, problem.get("code"), date


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirect)


def call(method: str, url: str, body=None, headers=None) -> dict:
    """One call, repeated while the network or the server fails. Sends a file as `body` from its first byte each time."""
    for attempt in range(TRIES):
        if hasattr(body, "seek"):
            body.seek(0)
        request = urllib.request.Request(url, data=body, headers=headers or {}, method=method)
        pause = min(30.0, 0.5 * 2**attempt) * random.uniform(0.5, 1)
        try:
            with opener.open(request, timeout=60) as answer:
                text = answer.read()
                return json.loads(text) if text else {}
        except urllib.error.HTTPError as error:
            if error.code not in (408, 425, 429) and error.code < 500:
                raise Refused(error.code, problem_of(error.read()), error.headers.get("date", "")) from None
            pause = max(pause, float(error.headers.get("retry-after") or 0))
        except OSError as error:
            print(f"no answer: {error}", file=sys.stderr)
        if attempt < TRIES - 1:
            time.sleep(pause)
    raise OSError(f"no answer from {method} {url.split('/uploads/')[0]}")


def problem_of(text: bytes) -> dict:
    try:
        return json.loads(text)
    except ValueError:
        return {}


class DeviceKey:
    """The key pair of the device, made once. A real device keeps the private half in its keystore."""

    def __init__(self, file: pathlib.Path):
        self.file = file
        if not file.exists():
            part = file.with_suffix(".part")
            part.touch(mode=0o600)
            self.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(part))
            part.rename(file)

    def openssl(self, *command: str, given: bytes = b"") -> bytes:
        return subprocess.run(["openssl", *command], input=given, stdout=subprocess.PIPE, check=True).stdout

    def public(self) -> str:
        return to_base64(self.openssl("pkey", "-in", str(self.file), "-pubout", "-outform", "DER"))

    def sign(self, body: dict) -> str:
        single = [body["account_reference"], body["ulid_encrypted"], body["serial_number"] or "", body["installation_id"] or ""]
        lines = ["custodia/v1|device", *single, ",".join(sorted(body["imeis"])), body["email"] or ""]
        return to_base64(self.openssl("dgst", "-sha256", "-sign", str(self.file), given="\n".join(lines).encode()))


class Server:
    def __init__(self, enrolment: dict, device: dict, key: DeviceKey):
        self.base = enrolment["server_url"] + "/device/v1/"
        self.enrolment, self.device, self.key, self.token, self.clock = enrolment, device, key, None, 0.0
        self.id_token = None

    def sign_in(self) -> None:
        """The person signs in with a browser, which returns to this program ("Sign-in"; RFC 8252, section 7.3)."""
        account = self.enrolment["account_reference"]
        identity = call("GET", self.base + "identity?" + urllib.parse.urlencode({"account_reference": account}), None, {})
        nonce = to_base64url(hashlib.sha256(base64.b64decode(self.key.public())).digest())
        state, verifier, returned = secrets.token_urlsafe(16), secrets.token_urlsafe(48), {}

        class Return(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
                # Another page of the browser may request an icon, or imitate the return.
                if query.get("state") == state:
                    returned.update(query)
                self.send_response(200 if returned else 404)
                self.end_headers()
                self.wfile.write(b"You can go back to the device." if returned else b"")

            def log_message(self, *_):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Return) as listening:
            redirect_uri = f"http://127.0.0.1:{listening.server_port}/"
            asked = {
                "redirect_uri": redirect_uri,
                "state": state,
                "nonce": nonce,
                "code_challenge": to_base64url(hashlib.sha256(verifier.encode()).digest()),
                "code_challenge_method": "S256",
            }
            print(f"sign in at {identity['redirect_url']}&{urllib.parse.urlencode(asked)}", flush=True)
            while not returned:
                listening.handle_request()
        if "code" not in returned:
            raise OSError(f"the sign-in failed: {returned.get('error', 'no code')}")
        body = {"account_reference": account, "code": returned["code"], "redirect_uri": redirect_uri, "code_verifier": verifier, "nonce": nonce}
        tokens = call("POST", self.base + "identity", json.dumps(body).encode(), {"content-type": "application/json"})
        self.id_token = tokens["id_token"]

    def authenticate(self) -> dict:
        """Corrects a wrong clock once, by the date of the refusal ("Authenticate")."""
        try:
            answer = self.prove()
        except Refused as refusal:
            if refusal.status != 401 or not refusal.date:
                raise
            self.clock = email.utils.parsedate_to_datetime(refusal.date).timestamp() - time.time()
            answer = self.prove()
        self.token = answer["access_token"]
        # The server has used it, and it expires within minutes.
        self.id_token = None
        return answer

    def prove(self) -> dict:
        account = self.enrolment["account_reference"]
        iv, coming = secrets.token_bytes(12), {}
        if "enrolment" in self.enrolment:
            coming = {"enrolment": self.enrolment["enrolment"]}
            key = base64.urlsafe_b64decode(coming["enrolment"].split(".")[1] + "=")
        else:
            key = base64.b64decode(self.enrolment["account_key"])
        fresh = ulid(time.time() + self.clock).encode()
        proof = iv + aes_gcm(key, iv, fresh, f"custodia/v1|authenticate|{account}".encode())
        body = {**self.device, **coming, "account_reference": account, "ulid_encrypted": to_base64(proof)}
        if self.id_token:
            body["id_token"] = self.id_token
        body |= {"device_key": self.key.public(), "signature": self.key.sign(body)}
        return call("POST", self.base + "authenticate", json.dumps(body).encode(), {"content-type": "application/json"})

    def ask(self, method: str, path: str, body=None) -> dict:
        """A call with the token; renews an expired token once."""
        for attempt in (1, 2):
            if self.token is None:
                self.authenticate()
            headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
            try:
                return call(method, self.base + path, json.dumps(body).encode() if body else None, headers)
            except Refused as refusal:
                if refusal.status != 401 or attempt == 2:
                    raise
                self.token = None


# --- The queue: protocol-payloads.md, protocol-metadata.md, protocol-commands.md -------------------------------------------------


class Queue:
    """A folder: <reference>.sealed and, written last, <reference>.json with the announcement as it is sent each time, and its place."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for left in [*folder.glob("*.part"), *folder.glob("*.sealed")]:
            if left.suffix == ".part" or not left.with_suffix(".json").exists():
                left.unlink()

    def entries(self) -> list:
        return [json.loads(path.read_text()) for path in sorted(self.folder.glob("*.json"))]

    def sealed(self, entry: dict) -> pathlib.Path:
        return self.folder / (entry["payload_reference"] + ".sealed")

    def write(self, name: str, fill) -> None:
        """Durably, and whole or not at all."""
        part, target = self.folder / (name + ".part"), self.folder / name
        with open(part, "wb") as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        part.rename(target)
        self.sync()

    def sync(self) -> None:
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def numbers(self) -> dict:
        """The chain of this installation and its newest place of each type. Entries have what a crash kept from being noted."""
        file = self.folder / "numbers"
        if not file.exists():
            self.note({"chain_id": str(uuid.uuid4())})
        numbers = json.loads(file.read_text())
        for entry in self.entries():
            numbers[entry["payload_type"]] = max(numbers.get(entry["payload_type"], [0, None]), entry["place"], key=lambda place: place[0])
        return numbers

    def note(self, numbers: dict) -> None:
        self.write("numbers", lambda file: file.write(json.dumps(numbers).encode()))

    def remove(self, entry: dict) -> None:
        self.sealed(entry).with_suffix(".json").unlink()
        self.sync()
        self.sealed(entry).unlink()


def record(queue: Queue, key: dict, payload_type: str, begin: int, meta: dict, source) -> dict:
    """Encrypts the data of `source` and its metadata, and queues the announcement."""
    payload_reference, dek, iv = ulid(time.time()), secrets.token_bytes(32), secrets.token_bytes(12)
    numbers = queue.numbers()
    seq, prev_hash = numbers.get(payload_type, (0, None))
    meta = {
        "payload_reference": payload_reference,
        "sequence": {"chain_id": numbers["chain_id"], "seq": seq + 1, "prev_hash": prev_hash},
        "payload_time": begin,
        "timezone": "UTC",
        "timezone_offset": 0,
        "local_time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(begin)),
        **meta,
    }
    bound = lambda kind: associated_data(key["client"], payload_reference, kind)
    queue.write(payload_reference + ".sealed", lambda file: seal_recording(dek, bound("original"), source, file))
    with open(queue.folder / (payload_reference + ".sealed"), "rb") as file:
        digest = hashlib.sha256()
        while chunk := file.read(1 << 20):
            digest.update(chunk)
        size = file.tell()
    sealed = aes_gcm(dek, iv, json.dumps(meta).encode(), bound("meta " + payload_type))
    place = [seq + 1, hashlib.sha256(sealed).hexdigest()]
    announcement = {
        "payload_reference": payload_reference,
        "payload_type": payload_type,
        "payload_time": begin,
        **({"payload_end_time": meta["payload_end_time"]} if "payload_end_time" in meta else {}),
        "key_id": key["key_id"],
        "encrypted_dek": wrap(dek, key["kek"]),
        "iv": to_base64(iv),
        "meta": to_base64(sealed),
        "checksum": digest.hexdigest(),
        "size": size,
    }
    entry = {**announcement, "place": place}
    queue.write(payload_reference + ".json", lambda file: file.write(json.dumps(entry).encode()))
    queue.note({**numbers, payload_type: place})
    return entry


def record_call(queue: Queue, key: dict, recording: pathlib.Path, other: str, seconds: int) -> None:
    """A call that ended just now."""
    end = int(time.time())
    begin = end - seconds
    party = {"phone_number": other, "direction": "O", "start_time": begin, "duration": seconds, "connection_time": begin}
    meta = {"payload_end_time": end, "size": recording.stat().st_size, "second_parties": [party]}
    with open(recording, "rb") as source:
        record(queue, key, "Call", begin, meta, source)


class Messages:
    """The text messages that the device still has, as its system keeps them: with a permanent id and their time."""

    def __init__(self, file: pathlib.Path):
        self.file = file

    def add(self, text: str, other: str) -> dict:
        message = {"message_id": uuid.uuid4().hex, "time": int(time.time()), "text": text, "other": other}
        with open(self.file, "a", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(json.dumps(message) + "\n")
        return message

    def within(self, params: dict) -> list:
        """The messages of the period of a `reupload_sms_messages`."""
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        first, end = params.get("from", 0), params.get("to", float("inf"))
        return [message for message in map(json.loads, lines) if first <= message["time"] < end]


def record_message(queue: Queue, key: dict, message: dict) -> dict:
    """Queues a text message, the first time or again: with a new reference, and with the same `message_id` and time."""
    meta = {
        "thread_id": hashlib.sha256(message["other"].encode()).hexdigest()[:16],
        "direction": "O",
        "length": len(message["text"]),
        "message_id": message["message_id"],
        "message_parties": [{"phone_number": message["other"], "direction": "O"}],
    }
    document = io.BytesIO(json.dumps({"text": message["text"]}).encode())
    return record(queue, key, "SMS", message["time"], meta, document)


def upload_entry(server: Server, queue: Queue, entry: dict) -> str:
    """Announces, uploads and asks for the status until it is final; returns it. Deletes the copy only on `processed`."""
    reference = entry["payload_reference"]
    announcement = {field: value for field, value in entry.items() if field != "place"}
    for _ in range(3):
        answer = server.ask("POST", "payloads", {"payloads": [announcement]})["payloads"][0]
        if "problem" in answer:
            return answer["problem"]
        if "upload_url" in answer:
            upload(queue, entry, answer)
        elif answer["status"] == "failed":
            return "failed"
        status, pause = "pending", 0.25
        while status == "pending":
            time.sleep(pause)
            pause = min(5, pause * 1.5)
            found = server.ask("POST", "payloads/status", {"payload_references": [reference]})["payloads"][0]
            status = found["status"]
        if status == "processed":
            queue.remove(entry)
            return status
        print(f"{reference} {status}: {found.get('reason', '')}", file=sys.stderr)
    return status


def upload(queue: Queue, entry: dict, answer: dict) -> None:
    headers = {"content-type": "application/octet-stream", **answer["upload_headers"], "content-length": str(entry["size"])}
    with open(queue.sealed(entry), "rb") as file:
        try:
            call("PUT", answer["upload_url"], file, headers)
        except Refused as refusal:
            # 412: an object store has these bytes already. The others: the next announcement renews the address.
            if refusal.status not in (412, 401, 403, 404, 410):
                raise


def report(server: Server, message: str) -> None:
    """Uploads one log. A real device keeps logs until they are answered, and uploads a hundred at a time."""
    at = time.time()
    log = {
        "log_id": f"{int(at * 1000)}-{uuid.uuid4()}",
        "log_class": "Example",
        "log_level": "INFO",
        "log_datetime": int(at),
        "local_timezone": "UTC",
        "log_message": message,
    }
    print(f"log {server.ask('POST', 'logs', {'logs': [log]})['logs'][0]['status']}", flush=True)


def locate(server: Server, place: str) -> None:
    """Uploads one position, sealed under a DEK of this call. A real device uploads a hundred at a time."""
    at, (latitude, longitude) = time.time(), map(float, place.split(","))
    key, gps_reference, dek, iv = server.ask("GET", "key"), ulid(at), secrets.token_bytes(32), secrets.token_bytes(12)
    position = {
        "gps_reference": gps_reference,
        "timestamp": int(at),
        "latitude": latitude,
        "longitude": longitude,
        "timezone": "UTC",
        "provider": "example",
    }
    sealed = aes_gcm(dek, iv, json.dumps(position).encode(), associated_data(key["client"], gps_reference, "position"))
    point = {"gps_reference": gps_reference, "timestamp": int(at), "iv": to_base64(iv), "meta": to_base64(sealed)}
    body = {"key_id": key["key_id"], "encrypted_dek": wrap(dek, key["kek"]), "points": [point]}
    print(f"position {server.ask('POST', 'gps', body)['points'][0]['status']}", flush=True)


def report_telemetry(server: Server, queue: Queue, device: dict) -> None:
    """Uploads one telemetry report, sealed. A real device keeps reports until they are answered."""
    key, at, dek, iv = server.ask("GET", "key"), time.time(), secrets.token_bytes(32), secrets.token_bytes(12)
    named = {"telemetry_id": f"{int(at * 1000)}-{uuid.uuid4()}", "telemetry_time": int(at)}
    entries, disk = queue.entries(), shutil.disk_usage(queue.folder)
    document = {
        **named,
        **{field: device[field] for field in ("model", "os_version", "app_version")},
        "timezone": "UTC",
        "storage_total": disk.total,
        "storage_available": disk.free,
        "services": {"calls": True},
        "queue_payloads": len(entries),
        "queue_size": sum(entry.get("size", 0) for entry in entries),
    }
    bound = associated_data(key["client"], named["telemetry_id"], "telemetry")
    sealed = {"iv": to_base64(iv), "meta": to_base64(aes_gcm(dek, iv, json.dumps(document).encode(), bound))}
    body = {"key_id": key["key_id"], "encrypted_dek": wrap(dek, key["kek"]), "telemetry": [{**named, **sealed}]}
    print(f"telemetry {server.ask('POST', 'telemetry', body)['telemetry'][0]['status']}", flush=True)


def obey(server: Server, queue: Queue, messages: Messages, wait: int) -> None:
    """Fetches commands once, waiting for at most so many seconds, executes them and reports the result."""
    for command in server.ask("GET", f"commands?wait={wait}")["commands"]:
        path = "commands/" + command["command_reference"]
        server.ask("PUT", path, {"state": "Acknowledged"})
        if command["command"] == "sync_data":
            left = [entry for entry in queue.entries() if upload_entry(server, queue, entry) != "processed"]
            report = {"state": "Failed" if left else "Completed", "message": f"{len(left)} left in the queue"}
        elif command["command"] == "reupload_sms_messages":
            key = server.ask("GET", "key")
            again = [record_message(queue, key, message) for message in messages.within(command["params"])]
            left = [entry for entry in again if upload_entry(server, queue, entry) != "processed"]
            report = {"state": "Failed" if left else "Completed", "message": f"{len(again)} uploaded again, {len(left)} of them left in the queue"}
        else:
            report = {"state": "Failed", "message": f"This device cannot {command['command']}."}
        print(f"{command['command']} {server.ask('PUT', path, report)['state']}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("enrolment", type=pathlib.Path)
    parser.add_argument("recording", type=pathlib.Path, nargs="?")
    parser.add_argument("--email", help="of the device user who holds the device")
    parser.add_argument("--sign-in", action="store_true", help="the holder signs in, which proves whose device it is")
    parser.add_argument("--other", default="+447700900501", help="the number that was called or written to")
    parser.add_argument("--seconds", type=int, default=10, help="how long the call was")
    parser.add_argument("--serial", default="PY00000001")
    parser.add_argument("--queue", type=pathlib.Path, default=pathlib.Path("queue"))
    parser.add_argument("--message", metavar="TEXT", help="uploads a text message that was sent just now")
    parser.add_argument("--log", metavar="MESSAGE", help="uploads a log")
    parser.add_argument("--locate", metavar="LATITUDE,LONGITUDE", help="uploads the position of the device")
    parser.add_argument("--telemetry", action="store_true", help="uploads a telemetry report")
    parser.add_argument("--obey", type=int, metavar="SECONDS", help="fetches commands afterwards, and waits so long for one")
    given = parser.parse_args()

    device = {
        "model": "Example in Python",
        "os_version": sys.version.split()[0],
        "app_version": "1.0",
        "serial_number": given.serial,
        "installation_id": f"installation-of-{given.serial}",
        "phone_numbers": ["+447700900199"],
        "imeis": [],
        "email": given.email,
    }
    queue = Queue(given.queue)
    server = Server(json.loads(given.enrolment.read_text()), device, DeviceKey(given.queue.with_name(given.queue.name + "-key.pem")))
    if given.sign_in:
        server.sign_in()
    answer = server.authenticate()
    print(f"device {answer['device_reference']} of {answer['account_reference']}, {answer['install_state']}")
    if given.recording:
        record_call(queue, server.ask("GET", "key"), given.recording, given.other, given.seconds)
    messages = Messages(given.queue.with_name(given.queue.name + "-messages.jsonl"))
    if given.message:
        record_message(queue, server.ask("GET", "key"), messages.add(given.message, given.other))
    left = 0
    for entry in queue.entries():
        outcome = upload_entry(server, queue, entry)
        print(f"{entry['payload_reference']} {outcome}", flush=True)
        left += outcome != "processed"
    if given.log:
        report(server, given.log)
    if given.locate:
        locate(server, given.locate)
    if given.telemetry:
        report_telemetry(server, queue, device)
    if given.obey is not None:
        obey(server, queue, messages, min(given.obey, 55))
    return 1 if left else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Refused, OSError) as error:
        sys.exit(f"not uploaded yet: {error}")
