import Foundation
package import VaultModel

/// One of the golden vectors, as their README describes them.
package struct Vector: Sendable, CustomStringConvertible {
  /// The result that a reader has to have for the body.
  package enum Outcome: String, Sendable {
    case success
    case damaged
    case notCanonical = "not canonical"
    case tooCostly = "too costly"
    case wrongKey = "wrong key"
    case tooNew = "too new"
  }

  package let area: String
  package let scenario: String
  package let expect: Outcome
  package let body: [UInt8]
  package let keys: [String: String]

  package var description: String { "\(area)/\(scenario)" }

  /// An error: a vector is not as the README says, or the library judges it otherwise.
  package struct Complaint: Error, CustomStringConvertible {
    package let description: String

    package init(_ vector: Vector, _ text: String) {
      description = "\(vector): \(text)"
    }

    init(_ text: String) {
      description = text
    }
  }

  // MARK: Reading

  package static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Unit/VaultCryptoTests/Vectors").path

  /// Returns the areas that exist.
  package static func areas() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder)).subtracting(["README.md"])
  }

  /// Returns all vectors of an area.
  package static func all(_ area: String) throws -> [Vector] {
    try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(area)").sorted()
      .map { try Vector(area: area, scenario: $0) }
  }

  private init(area: String, scenario: String) throws {
    let text = try String(contentsOfFile: "\(Self.folder)/\(area)/\(scenario)", encoding: .utf8)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    var keys: [String: String] = [:]
    while let line = lines.popFirst(), !line.isEmpty {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard let name = parts.first, keys[String(name)] == nil else {
        throw Complaint("\(area)/\(scenario): a key is malformed or comes twice")
      }
      keys[String(name)] = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
    }
    guard let expect = keys.removeValue(forKey: "expect").flatMap(Outcome.init),
      keys.removeValue(forKey: "comment")?.isEmpty == false, let body = Self.bytes(lines.joined())
    else { throw Complaint("\(area)/\(scenario): no known outcome, no comment or no body") }
    self.area = area
    self.scenario = scenario
    self.expect = expect
    self.body = body
    self.keys = keys
  }

  // MARK: Keys

  /// Fails for a key that the test does not read.
  ///
  /// - Parameters:
  ///   - known: The keys that any vector of the area may have.
  ///   - results: Keys that only a vector of a success has, or prefixes of them, which end in "-".
  /// - Throws: A ``Complaint`` about the key.
  package func requireKeys(_ known: Set<String>, results: Set<String> = []) throws {
    let allowed = expect == .success ? known.union(results) : known
    for key in keys.keys
    where !allowed.contains(key)
      && !allowed.contains(where: { $0.hasSuffix("-") && key.hasPrefix($0) })
    {
      throw Complaint(self, "the key \(key) is not known")
    }
  }

  package func text(_ key: String) throws -> String {
    guard let text = keys[key] else { throw Complaint(self, "the key \(key) is missing") }
    return text
  }

  package func bytes(_ key: String) throws -> [UInt8] {
    guard let bytes = Self.bytes(try text(key)) else { throw Complaint(self, "\(key) is not hex") }
    return bytes
  }

  package func number<T: FixedWidthInteger>(_ key: String) throws -> T {
    guard let number = T(try text(key)) else { throw Complaint(self, "\(key) is no number") }
    return number
  }

  private static func bytes(_ hex: some StringProtocol) -> [UInt8]? {
    let digits = Array(hex.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  // MARK: Judging

  /// Runs the library on the vector.
  ///
  /// - Parameters:
  ///   - damage: The library's error for damaged data.
  ///   - body: The test.
  /// - Returns: The result of `body`, or nil if it fails as it has to.
  /// - Throws: A ``Complaint`` if it succeeds or fails otherwise.
  package func judge<R>(
    damage: VaultError.Code = .damaged, _ body: () throws(VaultError) -> R
  ) throws -> R? {
    let expected: VaultError.Code? =
      switch expect {
      case .success: nil
      case .damaged, .notCanonical, .tooCostly: damage
      case .wrongKey: .authenticationFailed
      case .tooNew: .tooNew
      }
    let result: R
    do throws(VaultError) {
      result = try body()
    } catch {
      guard error.code == expected else { throw Complaint(self, "the library says \(error)") }
      return nil
    }
    guard expected == nil else { throw Complaint(self, "the library accepts it") }
    return result
  }
}
