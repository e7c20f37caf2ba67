public import Foundation

/// The locations of this project's own files and programs.
public enum Project: Sendable {
  /// The folder of `Package.swift`.
  public static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The folders of the extras, which may be none.
  package static let extras: [URL] = {
    let folder = root.appending(path: "Extras")
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (names ?? []).sorted().map { folder.appending(path: $0) }
  }()

  /// Returns the folder of a test target, whatever folder it is in; an extra's, too.
  package static func tests(_ target: some StringProtocol) -> URL {
    let folder = root.appending(path: "Tests")
    let groups =
      ["Unit", "Contract", "Attack", "System"].map { folder.appending(path: $0) }
      + extras.map { $0.appending(path: "Tests") }
    return groups.map { $0.appending(path: "\(target)") }.first {
      FileManager.default.fileExists(atPath: $0.path)
    } ?? folder
  }

  /// The folder that the running tests, and `vaultctl`, were built into.
  public static let products: URL = {
    let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: tests ?? "/").deletingLastPathComponent()
  }()

  /// Whether the tests, and `vaultctl` with them, were built with a sanitizer.
  package static let isSanitized = ["__asan_init", "__tsan_init"].contains { (name: String) in
    // The program itself is searched; nothing is called.
    unsafe dlsym(dlopen(nil, RTLD_NOW), name) != nil
  }

  /// A program whose memory can be limited: a sanitizer maps terabytes for itself, and ends the
  /// program if it may not.
  ///
  /// In that case it is the release build.
  package static let limitedProgram =
    isSanitized ? releaseProgram : products.appending(path: "vaultctl")

  /// The release build, made before (`make release`).
  package static let releaseProgram = root.appending(path: ".build/shipped/release/vaultctl")

  /// The built `vaultctl`, by each of its names.
  package static let programs = Dictionary(
    uniqueKeysWithValues: [
      "vaultctl", "git-credential-vaultctl", "docker-credential-vaultctl", "vaultctl-askpass",
    ].map { ($0, products.appending(path: "vaultctl")) })

  /// Returns the text of a file of the project.
  public static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
