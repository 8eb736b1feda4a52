"""Who may ask the sync server: tokens, keys that are replaced, and files, which belong to the user who used them first.

    FREEHOLD_SERVICES=.build/debug python3 -m unittest test_users
"""

import hashlib
import hmac
import json
import shutil
import time
import unicodedata

import server
import tokens
from carrier import Carrier
from stage import ServerTest, ahead, pay, settle, shown

#: No names of users: empty, with control characters, too long.
BAD_NAMES = ["", "a\nb", "\x00", "a\x7f", "a\x85b", "\x9f", "x" * 256]


class TokenTests(ServerTest):
    def setUp(self):
        tokens.key_file(self.stage.keys)

    def schema(self, token, **headers):
        return self.stage.server.ask("GET", "/v1/schema", token=token, headers=headers)

    def all_refused(self, bad):
        for name, token in bad.items():
            answer = self.schema(token)
            self.refused(answer, 401, "unauthorized", name)
            self.assertEqual(answer[1]["WWW-Authenticate"], "Bearer", name)
            for path in ("/v1/push", "/v1/pull"):
                self.refused(self.stage.server.ask("POST", path, b"", token), 401, "unauthorized", name, path)
        self.assertEqual(self.schema(tokens.token("ann"))[0], 200)

    def test_what_is_no_token_is_refused(self):
        self.refused(self.schema(None), 401, "unauthorized")
        self.refused(self.schema(None, Authorization="Basic YW5uOmFubg=="), 401, "unauthorized")
        good, other, sign = tokens.token("ann"), tokens.token("eve"), tokens.Secret().sign
        head, claims, signature = good.split(".")
        self.all_refused({
            "empty": "", "dots": "..", "garbage": "garbage", "not base64": "%.%.%", "two parts": f"{head}.{claims}",
            "four parts": f"{good}.{signature}", "no signature": f"{head}.{claims}.",
            "another's claims": f"{head}.{other.split('.')[1]}.{signature}",
            "a head that is no object": tokens.signed([1], {"sub": "ann"}, sign), "nested": tokens.signed(b"[" * 5000, b"", sign),
            "claims that are none": tokens.signed({"alg": "HS256", "kid": "tests"}, b"\xff\xfe", sign),
            "long": tokens.token("ann", more="x" * 9000), "none at all": "x" * 9000,
        })

    def test_signatures_of_others_are_refused(self):
        none = lambda _: b""
        self.all_refused({
            "another secret": tokens.token("ann", tokens.Secret(b"another secret, of 32 bytes long")),
            "an unknown kid": tokens.token("ann", tokens.Secret(kid="others")),
            "a kid that is no text": tokens.token("ann", head={"kid": 7}),
            "alg none": tokens.signed({"alg": "none", "kid": "tests"}, {"sub": "ann", "exp": 2e9}, none),
            "alg nOnE": tokens.signed({"alg": "nOnE", "kid": "tests"}, {"sub": "ann", "exp": 2e9}, none),
            "no alg": tokens.token("ann", head={"alg": None}), "HS512": tokens.token("ann", head={"alg": "HS512"}),
            "RS256": tokens.token("ann", head={"alg": "RS256"}),
        })

    def test_claims(self):
        now = time.time()
        self.all_refused({
            "expired": tokens.token("ann", exp=now - 1), "never expires": tokens.token("ann", exp=None),
            "exp is text": tokens.token("ann", exp="never"), "exp of 1970": tokens.token("ann", exp=0),
            "exp before": tokens.token("ann", exp=-1e300), "too early": tokens.token("ann", nbf=now + 300),
            "no user": tokens.token(None), "a number": tokens.token(7), "a list": tokens.token(["ann"]),
            **{f"user {name!r}": tokens.token(name) for name in BAD_NAMES},
            **{f"tenant {name!r}": tokens.token("ann", tenant=name) for name in BAD_NAMES if name}})
        self.refused(self.schema(tokens.token("ann", tenant="other")), 403, "forbidden")
        for good in [{"tenant": ""}, {"nbf": now - 1}, {"exp": 1e12}]:
            self.assertEqual(self.schema(tokens.token("ann", **good))[0], 200, good)
        for name in ["x" * 255, "ä" * 127, "🦆", "a b", "'; DROP SCHEMA freehold; --", "a\\b\"c"]:
            self.assertEqual(self.schema(tokens.token(name))[0], 200, name)

    def test_public_keys_and_algorithms_that_are_not_theirs(self):
        pairs = [tokens.Pair(self.stage.folder, "RS256", "rsa"), tokens.Pair(self.stage.folder, "ES256", "ec")]
        tokens.key_file(self.stage.keys, *pairs, tokens.Secret())
        for pair in pairs:
            good = tokens.token("ann", pair)
            self.assertEqual(self.schema(good)[0], 200, pair.kid)
            other = pairs[pair is pairs[0]]
            bad = {"another's signature": tokens.token("ann", other, head={"kid": pair.kid, "alg": pair.algorithm}),
                   "another algorithm": tokens.token("ann", other, head={"kid": pair.kid}), "cut": good[:-2],
                   "no kid": tokens.token("ann", pair, head={"kid": None})}
            for form in ("PEM", "DER"):
                for secret in (pair.public_file(form), pair.public_file(form).strip(), json.dumps(pair.public).encode()):
                    for algorithm in ("HS256", pair.algorithm):
                        sign = lambda data: hmac.new(secret, data, hashlib.sha256).digest()
                        claims = {"sub": "ann", "exp": int(time.time()) + 60}
                        bad[f"{form} as a secret, {algorithm}"] = tokens.signed({"alg": algorithm, "kid": pair.kid}, claims, sign)
            zero = {"sub": "ann", "exp": int(time.time()) + 60}
            bad["zeros"] = tokens.signed({"alg": pair.algorithm, "kid": pair.kid}, zero, lambda _: bytes(64))
            self.all_refused(bad)

    def test_keys_are_replaced_while_the_server_runs(self):
        new = tokens.Secret(b"the secret that comes after it..", "new")
        before, after = tokens.token("ann"), tokens.token("ann", new)
        self.assertEqual([self.schema(one)[0] for one in (before, after)], [200, 401])
        tokens.key_file(self.stage.keys, tokens.Secret(), new)
        self.assertEqual([self.schema(one)[0] for one in (before, after)], [200, 200])
        tokens.key_file(self.stage.keys, new)
        self.assertEqual([self.schema(one)[0] for one in (before, after)], [401, 200])
        for broken in ["", "{", "[]", '{"keys": 1}', '{"keys": [{"kid": "new"}]}',
                       '{"keys": [{"kid": "new", "alg": "none", "kty": "oct", "k": "AAAA"}]}',
                       '{"keys": [{"kid": "new", "alg": "HS256", "kty": "oct", "k": "AAAA"}]}',
                       '{"keys": [{"kid": "a", "alg": "RS256", "kty": "RSA", "n": "", "e": ""}]}']:
            self.stage.keys.write_text(broken, encoding="utf-8")
            self.assertEqual([self.schema(one)[0] for one in (before, after)], [401, 200], broken)
        self.assertIn("is no JSON Web Key Set", self.stage.server.log.read_text(encoding="utf-8"))
        self.stage.keys.unlink()
        self.assertEqual([self.schema(one)[0] for one in (before, after)], [401, 200])
        tokens.key_file(self.stage.keys)
        self.assertEqual([self.schema(one)[0] for one in (before, after)], [200, 401])

    def test_the_issuer_and_the_audience(self):
        strict = server.Server(self.stage.cluster.url, self.stage.keys, "--issuer", "https://is/é", "--audience", "sync")
        try:
            right = {"iss": "https://is/é", "aud": ["other", "sync"]}
            self.assertEqual(strict.ask("GET", "/v1/schema", token=tokens.token("ann", **right))[0], 200)
            look_alike = unicodedata.normalize("NFD", right["iss"])
            for wrong in [{"iss": None}, {"iss": "x"}, {"iss": look_alike}, {"aud": None}, {"aud": "other"}, {"aud": []}, {"aud": [7]}]:
                self.refused(strict.ask("GET", "/v1/schema", token=tokens.token("ann", **right | wrong)), 401, "unauthorized", wrong)
            self.assertEqual(strict.ask("GET", "/metrics")[0], 404)
        finally:
            self.assertEqual(strict.stop(), 0)


class OwnerTests(ServerTest):
    def forbidden(self, file, user, batch=None):
        token = tokens.token(user)
        if batch is not None:
            self.refused(self.stage.server.ask("POST", "/v1/push", batch, token), 403, "forbidden")
        return self.stage.server.ask("POST", "/v1/pull", file.database.sync_pull(), token)

    def test_a_file_belongs_to_the_user_who_used_it_first(self):
        ann, ben = self.stage.file("ann"), self.stage.file("ben", "ben")
        settle(ann, ben)
        pay(ann, "account-1", 5, "owner-1")
        batch = ann.database.sync_push()
        for _ in range(12):  # each thread of the server has its own memory of owners
            self.refused(self.forbidden(ann, "ben", batch), 403, "forbidden")
        self.assertEqual(shown(ann)["Entry"]["owner-1"], ("account-1", 5))
        self.assertNotIn("owner-1", shown(ben)["Entry"])
        self.settled(ann, ben)
        self.assertEqual(shown(ben)["Entry"]["owner-1"], ("account-1", 5))

    def test_names_that_look_alike_are_other_users(self):
        name = "Zoé K"
        file = self.stage.file("zoe", name)
        settle(file)
        for other in [unicodedata.normalize("NFD", name), name.replace("K", "\u212a"), name.lower(), name + " "]:
            for _ in range(12):
                answer = self.forbidden(file, other)
                self.refused(answer, 403, "forbidden", other.encode())
            self.assertEqual(self.stage.ask("POST", "/v1/pull", file.database.sync_pull(), user=name)[0], 204)

    def test_a_copy_with_what_another_user_has_not_sent(self):
        ann = self.stage.file("original")
        settle(ann)
        pay(ann, "account-2", 7, "copied-1")
        ann.database.copy(self.stage.path("copy"))
        ann.close()
        shutil.copy(self.stage.path("original"), self.stage.path("plain"))
        ann.database = Carrier(self.stage.path("original"), ann.address.geturl(), ann.token).database
        for name in ("copy", "plain"):
            other = self.stage.file(name, "ben")
            try:
                other.exchange()
            except OSError as error:
                self.assertIn("status 403", str(error))
            self.refused(self.stage.ask("POST", "/v1/push", other.database.sync_push(), user="ben"), 403, "forbidden")
            self.assertEqual(shown(other)["Entry"]["copied-1"], ("account-2", 7))
            other.token = tokens.token("ann")
            try:
                other.exchange()
            except OSError as error:
                self.assertIn("status 403", str(error))
        third = self.stage.file("third")
        self.settled(ann, third)
        self.assertEqual(shown(third)["Account"]["account-2"][0], 7)

    def test_a_copy_of_the_same_user_counts_once(self):
        ann = self.stage.file("mother")
        settle(ann)
        pay(ann, "account-3", 9, "twin-1")
        ann.database.copy(self.stage.path("daughter"))
        self.settled(ann, self.stage.file("daughter"))
        self.assertEqual(shown(ann)["Account"]["account-3"][0], 9)

    def test_a_cursor_ahead_is_refused(self):
        ann = self.stage.file("ahead")
        settle(ann)
        pay(ann, "account-4", 1, "ahead-1")
        question, batch = ann.database.sync_pull(), ann.database.sync_push()
        answer = self.stage.ask("POST", "/v1/pull", ahead(question, 18))
        self.refused(answer, 503, "unavailable")
        self.assertGreater(int(answer[1]["Retry-After"]), 0)
        self.refused(self.stage.ask("POST", "/v1/push", ahead(batch, 2, skipped=1)), 503, "unavailable")
        self.settled(ann, self.stage.file("behind"))

    def test_two_users_see_the_same_today(self):
        ann, ben = self.stage.file("public-1"), self.stage.file("public-2", "ben")
        settle(ann, ben)
        pay(ann, "account-5", 3, "public-1")
        pay(ben, "account-5", 4, "public-2")
        self.settled(ann, ben)
        self.assertEqual(shown(ben)["Account"]["account-5"][0], 7)
