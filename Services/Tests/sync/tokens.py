"""Tokens and key files for tests. HS256 is made by the standard library alone, RS256 and ES256 by the program `openssl`."""

import base64
import hashlib
import hmac
import json
import os
import subprocess
import time

SECRET = b"a secret of tests, of 32 bytes.."


def text(data):
    """base64url, without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Secret:
    """A key for HS256."""

    def __init__(self, secret=SECRET, kid="tests"):
        self.secret, self.kid, self.algorithm = secret, kid, "HS256"

    @property
    def public(self):
        """The key as it stands in a key file."""
        return {"kty": "oct", "kid": self.kid, "alg": "HS256", "k": text(self.secret)}

    def sign(self, data):
        return hmac.new(self.secret, data, hashlib.sha256).digest()


class Pair:
    """A key pair for RS256 or ES256, in a folder."""

    def __init__(self, folder, algorithm, kid):
        self.algorithm, self.kid, self.file = algorithm, kid, folder / f"{kid}.pem"
        if algorithm == "RS256":
            _openssl("genrsa", "-out", self.file, "2048")
            modulus = _openssl("rsa", "-in", self.file, "-noout", "-modulus").decode().strip().split("=")[1]
            numbers = {"kty": "RSA", "n": text(bytes.fromhex(modulus)), "e": "AQAB"}
        else:
            _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.file)
            point = self.public_file("DER")[-64:]
            numbers = {"kty": "EC", "crv": "P-256", "x": text(point[:32]), "y": text(point[32:])}
        self.public = {"kid": kid, "alg": algorithm, **numbers}

    def public_file(self, form="PEM"):
        """The public key as `openssl` writes it."""
        return _openssl("pkey", "-in", self.file, "-pubout", "-outform", form)

    def sign(self, data):
        signature = _openssl("dgst", "-sha256", "-sign", self.file, input=data)
        return signature if self.algorithm == "RS256" else _plain(signature)


def _openssl(*words, input=None):
    return subprocess.run(["openssl", *map(str, words)], input=input, check=True, capture_output=True).stdout


def _plain(signature):
    """The two numbers of an ECDSA signature, which `openssl` gives as ASN.1."""
    first = 4 + signature[3]
    return b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in (signature[4:first], signature[first + 2:]))


def key_file(path, *keys):
    """Writes a JSON Web Key Set, in one step."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps({"keys": [key.public for key in keys or [Secret()]]}), encoding="utf-8")
    os.replace(new, path)
    return path


def signed(head, claims, sign):
    """A token of any head and claims; `sign` gives the signature of bytes."""
    parts = ".".join(text(part if isinstance(part, bytes) else json.dumps(part).encode()) for part in (head, claims))
    return f"{parts}.{text(sign(parts.encode()))}"


def token(user, key=None, head=None, secret=SECRET, **claims):
    """A token of a user. What is None in the head or the claims is left out."""
    key = key or Secret(secret)
    head = {"alg": key.algorithm, "typ": "JWT", "kid": key.kid, **(head or {})}
    claims = {"sub": user, "exp": int(time.time()) + 3600, **claims}
    return signed(*({name: value for name, value in one.items() if value is not None} for one in (head, claims)), key.sign)
