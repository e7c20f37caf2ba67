"""The primitives that format.md names in §1 and §4: BLAKE2b is hashlib's, the rest libsodium's."""

import ctypes
import hashlib

_lib = ctypes.CDLL("libsodium.so.23")
if _lib.sodium_init() < 0:
    raise RuntimeError("libsodium does not start")

_ARGON2ID13 = 2
_size = ctypes.c_ulonglong


def H(n, key, message):
    """H(n, key, m) of §1; an empty key is the page's dash."""
    return hashlib.blake2b(message, digest_size=n, key=key).digest()


def checksum(message):
    return H(16, b"", message)[:8]


def subkey(vault_key, number, size=32):
    out = ctypes.create_string_buffer(size)
    _lib.crypto_kdf_derive_from_key(
        out, ctypes.c_size_t(size), _size(number), b"vltkeys1", vault_key)
    return out.raw


def poly1305(key, message):
    out = ctypes.create_string_buffer(16)
    _lib.crypto_onetimeauth(out, message, _size(len(message)), key)
    return out.raw


def hchacha20(key, block):
    out = ctypes.create_string_buffer(32)
    _lib.crypto_core_hchacha20(out, block, key, None)
    return out.raw


def seal(key, nonce, ad, message):
    """Seal(key, nonce, ad, m) of §1: nonce, ciphertext, tag."""
    out = ctypes.create_string_buffer(len(message) + 16)
    _lib.crypto_aead_xchacha20poly1305_ietf_encrypt(
        out, None, message, _size(len(message)), ad, _size(len(ad)), None, nonce, key)
    return nonce + out.raw


def unseal(key, ad, sealed):
    """The message of a sealed value, or None if it is not what was sealed."""
    if len(sealed) < 40:
        return None
    nonce, ciphertext = sealed[:24], sealed[24:]
    out = ctypes.create_string_buffer(max(1, len(ciphertext) - 16))
    failed = _lib.crypto_aead_xchacha20poly1305_ietf_decrypt(
        out, None, None, ciphertext, _size(len(ciphertext)), ad, _size(len(ad)), nonce, key)
    return None if failed else out.raw[:len(ciphertext) - 16]


def argon2id(passphrase, salt, passes, memory_kib):
    """64 bytes of Argon2id, version 1.3, one lane."""
    out = ctypes.create_string_buffer(64)
    failed = _lib.crypto_pwhash(
        out, _size(64), passphrase, _size(len(passphrase)), salt,
        _size(passes), ctypes.c_size_t(memory_kib * 1024), _ARGON2ID13)
    if failed:
        raise MemoryError("Argon2id got no memory")
    return out.raw


def x25519_public(secret):
    out = ctypes.create_string_buffer(32)
    _lib.crypto_scalarmult_base(out, secret)
    return out.raw


def x25519(secret, public):
    """The shared secret, or None for a public key that shares the same one with all."""
    out = ctypes.create_string_buffer(32)
    return None if _lib.crypto_scalarmult(out, secret, public) else out.raw


def box_seal(message, public, ephemeral):
    """crypto_box_seal with a given ephemeral secret key."""
    epk = x25519_public(ephemeral)
    out = ctypes.create_string_buffer(len(message) + 16)
    _lib.crypto_box_easy(
        out, message, _size(len(message)), H(24, b"", epk + public), public, ephemeral)
    return epk + out.raw


def box_open(sealed, public, secret):
    """What was sealed to a key with crypto_box_seal, or None."""
    out = ctypes.create_string_buffer(len(sealed) - 48)
    failed = _lib.crypto_box_seal_open(out, sealed, _size(len(sealed)), public, secret)
    return None if failed else out.raw


def ed25519_pair(seed):
    """Public and secret key."""
    public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(64)
    _lib.crypto_sign_seed_keypair(public, secret, seed)
    return public.raw, secret.raw


def ed25519_sign(secret, message):
    out = ctypes.create_string_buffer(64)
    _lib.crypto_sign_detached(out, None, message, _size(len(message)), secret)
    return out.raw


def ed25519_verify(public, message, signature):
    return not _lib.crypto_sign_verify_detached(signature, message, _size(len(message)), public)


def stream(key, nonce, n):
    """The first n bytes of XChaCha20's stream; the first 32 are Poly1305's key in a seal."""
    out = ctypes.create_string_buffer(n)
    _lib.crypto_stream_xchacha20(out, _size(n), nonce, key)
    return out.raw
