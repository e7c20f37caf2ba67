import CVault
import Foundation
import ProgramTesting
import TestSupport
import Testing
import VaultC
import VaultModel

@Suite("statuses of the C interface")
struct StatusTests {
  /// The numbers of the header's statuses, by name.
  private static let statuses = Result {
    let header = try Prototype.header("vault.h")
    let enumeration = try #require(
      header.firstMatch(
        of: /typedef enum vault_status \{(.*?)\} vault_status_t;/.dotMatchesNewlines()))
    return Dictionary(
      enumeration.1.matches(of: /(?m)^  VAULT_(\w+) = (\d+),/).map {
        (String($0.1), Int32($0.2) ?? -1)
      },
      uniquingKeysWith: { _, _ in -1 })
  }

  /// The numbers of the library's codes, by name in the header's spelling.
  private static let codes = Result {
    let text = try Project.text(of: "Sources/VaultModel/Errors/VaultError+Code.swift")
    let codes = text.matches(of: /static let (\w+) = Code\(rawValue: (\d+)\)/).map { match in
      let words = match.1.replacing(/[A-Z]/) { "_\($0.output)" }.uppercased()
      return (words, Int32(match.2) ?? -1)
    }
    return Dictionary(codes, uniquingKeysWith: { _, _ in -1 })
  }

  @Test("every code has its status of the same number and name, and every status its code")
  func numbers() throws {
    var statuses = try Self.statuses.get()
    #expect(statuses.removeValue(forKey: "OK") == Int32(0))
    #expect(try statuses == Self.codes.get())
    #expect(statuses.count >= 32)
    #expect(Set(statuses.values) == Set(1...Int32(statuses.count)))
  }

  @Test("every status has a message of its own, and any other number has one, too")
  func messages() throws {
    let numbers = try Self.statuses.get().values.sorted()
    let texts = try numbers.map { number in
      let text = try unsafe #require(vault_status_message(vault_status_t(UInt32(number))))
      return unsafe String(cString: text)
    }
    #expect(Set(texts).count == numbers.count)
    #expect(!texts.contains("unknown status"))
    for number in [UInt32(numbers.count) + 1, .max, 1 << 31] {
      let text = try unsafe #require(vault_status_message(vault_status_t(number)))
      #expect(unsafe String(cString: text) == "unknown status")
    }
  }

  @Test("what failed last says why, and not only where")
  func reason() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: URL(filePath: folder.file("file")))
    let path = folder.file("file/own.vault")
    var vault: OpaquePointer?
    // The place and the path are this function's own.
    #expect(unsafe vault_open(path, &vault) == VAULT_VAULT_NOT_FOUND)
    let text = unsafe vault_last_error().map { unsafe String(cString: $0) }
    #expect(text?.hasSuffix(": Not a directory") == true, "\(text ?? "nothing")")
  }

  @Test("a thread hears of its own failure only")
  func threads() async throws {
    #expect(vault_item_retain(nil) == VAULT_INVALID_ARGUMENT)
    let (before, status, after) = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        // A C string that is the thread's own, until its next failure.
        let before = unsafe vault_last_error().map { unsafe String(cString: $0) }
        let status = vault_close(nil)
        let after = unsafe vault_last_error().map { unsafe String(cString: $0) }
        continuation.resume(returning: (before, status, after))
      }
    }
    #expect(before == "")
    #expect(status == VAULT_INVALID_ARGUMENT)
    #expect(after?.isEmpty == false)
  }
}
