package import Foundation

/// Where this project's own files and programs are.
package enum Project {
  /// The folder of `Package.swift`.
  package static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The folder that the running tests were built into, and `vaultctl` with them.
  package static let products: URL = {
    let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: tests ?? "/").deletingLastPathComponent()
  }()

  /// What a sanitizer was told holds for programs that were built with it, too.
  ///
  /// Each would look for leaks at its end, find constants that Swift never frees, and change its exit status.
  package static let sanitizerOptions = ProcessInfo.processInfo.environment.filter {
    ["ASAN_OPTIONS", "TSAN_OPTIONS", "SWIFT_BACKTRACE"].contains($0.key)
  }

  /// The text of a file of the project.
  package static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
