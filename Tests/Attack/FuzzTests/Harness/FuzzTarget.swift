import VaultModel
import VaultReports

/// A reader of outside input, with the promises that hold for every input.
///
/// libFuzzer runs it over inputs that it makes up (`make fuzz`), and the tests over those that are
/// kept.
struct FuzzTarget: Sendable, CustomStringConvertible {
  /// The result of an input.
  enum Outcome: Sendable {
    case read
    case refused
  }

  /// The name of the folder of its corpus.
  let name: String
  /// Reads an input.
  ///
  /// Throws a ``DiagnosticResult`` if a promise is broken; a trap is a broken promise that nobody
  /// had to write down.
  let run: @Sendable ([UInt8]) throws -> Outcome

  var description: String { name }

  /// All targets.
  static let all: [FuzzTarget] =
    [
      keyFile, recoveryCode, ident, slot, head, ancestors, commit, bucket, sealed, image, journal,
      stateRecord,
      challenge,
      authenticationInfo, tokenDocument, url, proxy, timestamp, terminal, attributes, keychainList,
      gitRequest,
      dockerRequest, gitSettings, attributeSet, otherService, pinentry,
      arguments, policyOptions, values, oneTimePassword,
      json, bitwardenJSON, enpass, onePUX, keepassXML, dockerConfig, export,
    ] + interchange + tls
}

/// A promise that an input broke.
///
/// - Source: <https://llvm.org/docs/LibFuzzer.html>: an input is kept when its run ends by a trap.
struct DiagnosticResult: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Fails with a ``DiagnosticResult`` unless something holds.
func require(_ holds: Bool, _ promise: @autoclosure () -> String) throws {
  guard !holds else { return }
  throw DiagnosticResult(promise())
}

/// Returns a reader's result for an input; nil if it refuses it with one of `codes`.
///
/// - Throws: A ``DiagnosticResult`` if it refuses it with anything else.
func reading<Value>(
  refusing codes: VaultError.Code..., body: () throws(VaultError) -> Value
) throws -> Value? {
  do throws(VaultError) {
    return try body()
  } catch {
    try require(codes.contains(error.code), "refused with \(error.code): \(error.context)")
    return nil
  }
}

/// Reads an input, and requires that its value is written as the same bytes.
func roundTrip<Value>(
  _ bytes: [UInt8], refusing code: VaultError.Code,
  read: ([UInt8]) throws(VaultError) -> Value, write: (Value) -> [UInt8]
) throws -> FuzzTarget.Outcome {
  guard
    let value = try reading(
      refusing: code, .tooNew, body: { () throws(VaultError) in try read(bytes) })
  else { return .refused }
  try require(write(value) == bytes, "read, and written as other bytes")
  return .read
}

extension FuzzTarget.Outcome {
  /// Returns the outcome of several readers of one input.
  static func || (left: Self, right: Self) -> Self {
    left == .read ? left : right
  }
}

/// Takes an input apart from its front; after its end everything is 0 and empty.
struct Input {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Returns the number in the given count of bytes, the lowest first.
  mutating func number(_ count: Int) -> UInt64 {
    var number: UInt64 = 0
    for index in 0..<count { number |= UInt64(byte()) << UInt64(8 * index) }
    return number
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    let bytes = Array(rest.prefix(count))
    rest = rest.dropFirst(count)
    return bytes
  }

  mutating func remaining() -> [UInt8] {
    bytes(rest.count)
  }
}

extension [UInt8] {
  /// The texts between line feeds, as a program gets its arguments: without NUL, and UTF-8 or
  /// nothing.
  var lines: [String] {
    split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).compactMap { line in
      line.contains(0) ? nil : String(validating: line, as: UTF8.self)
    }
  }

  /// The whole input as text, wrong bytes replaced.
  var text: String { String(decoding: self, as: UTF8.self) }
}
