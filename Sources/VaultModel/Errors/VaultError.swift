import Glibc

/// The only error type of the library: it says what went wrong and with what, without a secret.
///
/// Two errors are equal if their codes are, so `catch VaultError.Code.locked` and `error ==
/// VaultError(.locked, "")` both work.
public struct VaultError: Error, Sendable {
  /// The kind of error; its raw value is the status of the C API.
  public let code: Code

  // One pointer, so that a typed throw stays in two registers.
  private let details: Details

  /// An error of the layer below.
  public enum Underlying: Sendable, Hashable {
    /// An extended result code of SQLite.
    case sqlite(Int32)
    /// An `errno` of the system.
    case errno(Int32)
  }

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of error.
  ///   - context: The action and its object: lower case, no secret, no trailing stop.
  ///   - underlying: The error of the layer below, if it gave one.
  ///   - candidates: For ``Code/ambiguous``, ``Code/duplicateItem`` and ``Code/conflict``, the
  ///     items concerned. Their secrets are dropped here.
  ///   - fileID: The source file of the error; leave the default.
  ///   - line: The source line of the error; leave the default.
  public init(
    _ code: Code, _ context: String, underlying: Underlying? = nil,
    candidates: [Item] = [], fileID: String = #fileID, line: Int = #line
  ) {
    self.code = code
    details = Details(
      context: context, underlying: underlying, candidates: candidates.map(\.withoutSecrets),
      subject: nil, fileID: fileID, line: line)
  }

  private init(_ error: VaultError, about subject: Subject?) {
    code = error.code
    details = Details(
      context: error.context, underlying: error.underlying, candidates: error.candidates,
      subject: subject, fileID: error.details.fileID, line: error.details.line)
  }

  /// The operation and its object, without a secret.
  public var context: String { details.context }

  /// The error of the layer below, if it gave one.
  public var underlying: Underlying? { details.underlying }

  /// The items that an ``Code/ambiguous``, ``Code/duplicateItem`` or ``Code/conflict`` error is
  /// about.
  ///
  /// They have no secrets; the item of a conflict is as it is now. Other errors have no candidates.
  public var candidates: [Item] { details.candidates }

  /// The file at fault, where the code alone does not decide what to try next.
  package enum Subject: Sendable, Hashable {
    /// A file or folder with a wrong owner or mode, and how to mend it.
    case access(AccessRemedy)
    /// A foreign or damaged file beside the vault or backup at this path.
    case sideFile(of: String)
    /// The backup that was named.
    case backup
    /// A vault that is only read, whose owner has to mend it.
    case onlyRead
    /// The key that a slot needs beside the one that was given.
    case otherHalf
    /// A passphrase that nobody can be asked for.
    case passphrase
    /// A file of another program, with a passphrase of its own.
    case otherFile
    /// The state that a fleet's server has, compared with the replica.
    case arbiter
  }

  /// The file or key at fault, if it decides what to try next.
  package var subject: Subject? { details.subject }

  /// The step that mends the owner or mode of a file or folder, if the error is about them.
  public var remedy: AccessRemedy? {
    if case .access(let remedy) = details.subject { remedy } else { nil }
  }

  /// Returns the same error about a subject.
  package func about(_ subject: Subject?) -> VaultError { VaultError(self, about: subject) }

  /// The place in the library's source where the error was made, as `Module/File.swift:line`; for
  /// developers.
  public var location: String { "\(details.fileID):\(details.line)" }

  private final class Details: Sendable {
    let context: String
    let underlying: Underlying?
    let candidates: [Item]
    let subject: Subject?
    let fileID: String
    let line: Int

    init(
      context: String, underlying: Underlying?, candidates: [Item],
      subject: Subject?, fileID: String, line: Int
    ) {
      self.context = context
      self.underlying = underlying
      self.candidates = candidates
      self.subject = subject
      self.fileID = fileID
      self.line = line
    }
  }
}

extension VaultError: Hashable {
  /// Returns whether the two errors have the same code.
  public static func == (left: VaultError, right: VaultError) -> Bool {
    left.code == right.code
  }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
  }
}

extension VaultError: CustomStringConvertible {
  /// The code's name, the context and the number of the error below: `io: read head (errno 5)`.
  public var description: String {
    var text = code.description
    if !context.isEmpty { text += ": \(context)" }
    switch underlying {
    case .sqlite(let number): text += " (sqlite \(number))"
    case .errno(let number): text += " (errno \(number))"
    case nil: break
    }
    return text
  }
}

extension VaultError {
  /// The error of a task that was cancelled while it waited.
  package static var cancelled: VaultError { VaultError(.interrupted, "the task was cancelled") }

  /// Returns the error of changing a vault that is only read.
  package static func onlyRead(_ path: String) -> VaultError {
    VaultError(.readOnly, "\(path) is listed as read-only").about(.onlyRead)
  }

  /// The error in words: what was being done to what, and why the system refused.
  ///
  /// The text is the same for people, in JSON and in C: lower case, no secret, no trailing stop.
  public var text: String {
    let cause = context.isEmpty ? code.description : context
    switch underlying {
    case .errno(let number):
      let reason = Self.reason(number)
      return cause.hasSuffix(reason) ? cause : "\(cause): \(reason)"
    // The number helps to find the reason if the words do not give it.
    case .sqlite(let number) where code == .inputOutput || code == .internalError:
      return "\(cause) (sqlite \(number))"
    case .sqlite: return cause
    case nil: return cause
    }
  }

  /// Returns the system's words for an error number.
  private static func reason(_ number: Int32) -> String {
    var words = [CChar](repeating: 0, count: 256)
    // The call writes no more than it is told, a NUL included; unlike `strerror` it may be used
    // from any thread.
    guard unsafe strerror_r(number, &words, words.count) == 0 else { return "error \(number)" }
    return String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
