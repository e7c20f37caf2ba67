extension VaultError {
  /// The kind of an error, as a number that never changes its meaning: the status of the C API.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number.
    public let rawValue: Int32

    /// Creates a code from its number; unknown numbers are kept.
    public init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    /// A broken invariant of the library itself.
    public static let internalError = Code(rawValue: 1)
    /// An argument that has no meaning: a host with a blank, a port above 65535.
    public static let invalidArgument = Code(rawValue: 2)
    /// The vault is locked, and nobody could be asked.
    public static let locked = Code(rawValue: 3)
    /// No item matches, or no slot, machine or entry of a list has that id or name.
    public static let itemNotFound = Code(rawValue: 4)
    /// An item with this key exists.
    public static let duplicateItem = Code(rawValue: 5)
    /// Several items share the best rank, but one was asked for.
    public static let ambiguous = Code(rawValue: 6)
    /// Only expired items match.
    public static let expired = Code(rawValue: 7)
    /// The item was changed by somebody else since it was read.
    public static let conflict = Code(rawValue: 8)
    /// Sealed data does not authenticate, or its file is malformed.
    public static let damaged = Code(rawValue: 9)
    /// There is no vault at this path.
    public static let vaultNotFound = Code(rawValue: 10)
    /// A wrong passphrase or key.
    public static let authenticationFailed = Code(rawValue: 11)
    /// The vault cannot be written.
    public static let readOnly = Code(rawValue: 12)
    /// The vault is older than it was when last seen.
    public static let rolledBack = Code(rawValue: 13)
    /// The vault has another history than when last seen.
    public static let forked = Code(rawValue: 14)
    /// A policy does not allow it.
    public static let policyRefused = Code(rawValue: 15)
    /// Input from outside that cannot be understood.
    public static let invalidData = Code(rawValue: 16)
    /// The file is not a vault.
    public static let notAVault = Code(rawValue: 17)
    /// A file or stream that is required as input is missing.
    public static let missingInput = Code(rawValue: 18)
    /// A required resource cannot be reached.
    public static let unavailable = Code(rawValue: 19)
    /// Memory could not be allocated.
    public static let outOfMemory = Code(rawValue: 20)
    /// There is a vault at this path already.
    public static let vaultExists = Code(rawValue: 21)
    /// A file or folder could not be created.
    public static let cannotCreate = Code(rawValue: 22)
    /// Reading or writing failed.
    public static let inputOutput = Code(rawValue: 23)
    /// A commit failed, and it is unknown whether it took effect.
    public static let outcomeUnknown = Code(rawValue: 24)
    /// Somebody else held the vault's lock for too long.
    public static let busy = Code(rawValue: 25)
    /// The vault was written in a format newer than this library.
    public static let tooNew = Code(rawValue: 26)
    /// A file or folder has an owner or mode that lets others in.
    public static let unsafePermissions = Code(rawValue: 27)
    /// The configuration is wrong.
    public static let configuration = Code(rawValue: 28)
    /// A signal or the user interrupted it, or its task was cancelled.
    public static let interrupted = Code(rawValue: 29)
    /// A value exceeds its limit.
    public static let tooLarge = Code(rawValue: 30)
    /// It is not implemented for this input.
    public static let unsupported = Code(rawValue: 31)
    /// The vault was closed.
    public static let closed = Code(rawValue: 32)
    /// The vault at the path is not the one that was seen there.
    public static let anotherVault = Code(rawValue: 33)
    /// An algorithm of external input is not supported; the context names it.
    public static let unsupportedAlgorithm = Code(rawValue: 34)
    /// External input asks for more work to derive a key than is allowed.
    public static let tooCostly = Code(rawValue: 35)
    /// A file that should have an identity has no private key.
    public static let missingIdentity = Code(rawValue: 36)
    /// A private key has no certificate.
    public static let missingCertificate = Code(rawValue: 37)
    /// The secret needs a PIN.
    public static let pinRequired = Code(rawValue: 38)
    /// Too many wrong PINs were tried; the context says when the next one may be.
    public static let tooManyAttempts = Code(rawValue: 39)

    /// The name in JSON output, such as `item-not-found`; `code-N` for an unknown number.
    public var description: String {
      Self.names.indices.contains(Int(rawValue)) ? Self.names[Int(rawValue)] : "code-\(rawValue)"
    }

    /// Returns whether the error has this code, for `catch VaultError.Code.locked`.
    public static func ~= (code: Code, error: any Error) -> Bool {
      (error as? VaultError)?.code == code
    }

    /// The names by raw value; no error has the value 0, which is the C API's success.
    private static let names = [
      "ok", "internal-error", "invalid-argument", "locked", "item-not-found", "duplicate-item",
      "ambiguous",
      "expired", "conflict", "damaged", "vault-not-found", "authentication-failed", "read-only",
      "rolled-back",
      "forked", "policy-refused", "invalid-data", "not-a-vault", "missing-input", "unavailable",
      "out-of-memory", "vault-exists", "cannot-create", "input-output", "outcome-unknown", "busy",
      "too-new",
      "unsafe-permissions", "configuration", "interrupted", "too-large", "unsupported", "closed",
      "another-vault", "unsupported-algorithm", "too-costly", "missing-identity",
      "missing-certificate", "pin-required", "too-many-attempts",
    ]
  }
}
