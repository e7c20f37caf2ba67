import Foundation
import Testing

@testable import SecureMemory

/// Returns bytes that differ for every seed, recomputed for each comparison.
func pattern(seed: Int, count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ 1) &* 31 &+ seed &* 7) }
}

func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  // Bytes of arrays that outlive the call.
  unsafe constantTimeEqual(a.span.bytes, b.span.bytes)
}

/// Returns whether the tests were built with `--sanitize`, by the name of the sanitizer's symbols.
func isRunning(sanitizer: String) -> Bool {
  // A null handle stands for everything that is loaded.
  unsafe dlsym(nil, "__\(sanitizer)_init") != nil
}

/// Returns the lines of a file of proc(5) about this process.
///
/// Not by `String(contentsOfFile:)`, which stops after 4 KiB of a file that has no size.
func linesOfOwnProcess(_ name: String) throws -> [Substring] {
  let file = try #require(FileHandle(forReadingAtPath: "/proc/self/" + name))
  let contents = try #require(try file.readToEnd())
  return String(decoding: contents, as: UTF8.self).split(separator: "\n")
}

/// An error of a closure that writes or reads a secret.
struct BodyError: Error {}

extension Secret {
  convenience init(_ bytes: [UInt8]) {
    // Bytes of an array that outlives the call.
    unsafe self.init(copying: bytes.span.bytes)
  }

  func holds(_ bytes: [UInt8]) -> Bool {
    // The span's own bytes, and one pass.
    withRawBytes { unsafe $0.withUnsafeBytes { unsafe $0.elementsEqual(bytes) } }
  }
}

extension KeyBuffer {
  init(_ bytes: [UInt8]) {
    // The buffer is as long as `bytes`.
    unsafe self.init(count: bytes.count) { unsafe $0.copyBytes(from: bytes) }
  }

  borrowing func holds(_ bytes: [UInt8]) -> Bool {
    // The span's own bytes, and one pass.
    withRawBytes { unsafe $0.withUnsafeBytes { unsafe $0.elementsEqual(bytes) } }
  }
}
