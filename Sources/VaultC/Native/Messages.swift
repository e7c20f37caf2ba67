public import CVault
import VaultModel

/// Returns the meaning of a status; the contract is in `vault.h`.
@c @implementation
public func vault_status_message(_ status: vault_status_t) -> UnsafePointer<CChar>? {
  let number = Int(status.rawValue)
  let text: StaticString = messages.indices.contains(number) ? messages[number] : "unknown status"
  // A literal's bytes live as long as the library, and a NUL follows them.
  return unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// Returns the message of the thread's last failure; the contract is in `vault.h`.
@c @implementation
public func vault_last_error() -> UnsafePointer<CChar>? {
  // Valid until the thread's next failure, as the contract says; a literal for ever.
  let none: StaticString = ""
  return unsafe LastError.text
    ?? UnsafeRawPointer(none.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// Copies the items of the thread's last failure; the contract is in `vault.h`.
@c @implementation
public func vault_last_error_candidates(
  _ vault: OpaquePointer?, _ items: UnsafeMutablePointer<UnsafeMutablePointer<OpaquePointer?>?>?,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  unsafe giveOut(at: items, count) { () throws(VaultError) in
    (LastError.candidates.map { ItemHandle.Content($0) }, try Scope.at(vault).vault)
  }
}

/// The messages by status number.
private let messages: [StaticString] = [
  "done",
  "a broken invariant of the library itself",
  "an argument that has no meaning",
  "the vault is locked",
  "no item matches",
  "an item with this key exists",
  "several items share the best rank",
  "only expired items match",
  "the item was changed by somebody else since it was read",
  "sealed data does not authenticate, or its file is malformed",
  "there is no vault at this path",
  "a wrong passphrase or key",
  "the vault cannot be written",
  "the vault is older than it was when last seen",
  "the vault has another history than when last seen",
  "a policy does not allow it",
  "input from outside that cannot be understood",
  "the file is something else than a vault",
  "a file that was to be read is missing",
  "something that is needed cannot be reached",
  "memory could not be had",
  "there is a vault at this path already",
  "a file or folder could not be created",
  "reading or writing failed",
  "a commit failed and whether it took effect cannot be known",
  "somebody else held the vault's lock for too long",
  "the vault was written in a format newer than this library",
  "a file or folder has an owner or mode that lets others in",
  "the configuration is wrong",
  "a signal or the user interrupted it",
  "a value exceeds its limit",
  "it is not implemented for this input",
  "the vault was closed",
  "the vault at the path is not the one that this machine has seen there",
  "an algorithm of input from outside is not supported",
  "input from outside asks for more work to derive a key than is allowed",
  "a file that should have an identity has no private key",
  "a private key has no certificate",
  "the secret needs a PIN",
  "too many wrong PINs were tried",
]
