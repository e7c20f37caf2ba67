import Foundation
import ProgramTesting

/// A private mount namespace in which one more CA is trusted.
///
/// FoundationNetworking on Linux takes the CAs from the first file of a fixed list, and from
/// nowhere else: no variable and no configuration adds one.
struct PrivateTrust: Sendable {
  /// The file, the same on Debian and its derivatives.
  static let bundle = "/etc/ssl/certs/ca-certificates.crt"

  /// The words that precede a program's own to run it in the namespace.
  let words: [String]

  /// Adds a CA to the machine's, for programs that run after these words.
  ///
  /// - Throws: If no namespace can be made, an error that says what to allow.
  init(adding authority: URL, in sandbox: Sandbox, after first: [String] = []) throws {
    let both = sandbox.folder.appending(path: "\(UUID()).crt")
    var text = try Data(contentsOf: URL(filePath: Self.bundle))
    text.append(try Data(contentsOf: authority))
    try text.write(to: both)
    var said: [String] = []
    // Without root in a namespace of the user's own; root may be forbidden that, and needs none.
    for options in [["--user", "--map-root-user", "--mount"], ["--mount"]] {
      let words =
        first + ["unshare"] + options
        + ["sh", "-c", "mount --bind \"$0\" \(Self.bundle) && exec \"$@\"", both.path]
      let probe = try sandbox.run(words + ["true"])
      guard probe.status != 0 else {
        self.words = words
        return
      }
      said.append(probe.errors)
    }
    throw ProgramFailure(
      description: """
        a test CA needs a private mount namespace. Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, \
        kernel.apparmor_restrict_unprivileged_userns=0, user.max_user_namespaces and user.max_mnt_namespaces above 0), \
        or run the tests as root with CAP_SYS_ADMIN. \(said.joined(separator: " "))
        """)
  }
}

/// A CA of the tests, which nobody else trusts.
struct TestAuthority: Sendable {
  let sandbox: Sandbox
  private let folder: URL

  var certificate: URL { folder.appending(path: "ca.pem") }

  /// Creates the CA.
  init(in sandbox: Sandbox) throws {
    self.sandbox = sandbox
    folder = sandbox.folder.appending(path: "ca-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try request(
      "-subj", "/CN=Test CA", "-keyout", key.path, "-out", certificate.path, "-addext",
      "basicConstraints=critical,CA:TRUE")
  }

  private var key: URL { folder.appending(path: "ca.key") }

  /// Makes `server.pem` and `server.key` in a folder, for a name such as "IP:127.0.0.1".
  func issue(for name: String, in folder: URL) throws {
    try request(
      "-CA", certificate.path, "-CAkey", key.path, "-subj", "/CN=test", "-addext",
      "subjectAltName=\(name)", "-addext", "basicConstraints=critical,CA:FALSE",
      "-keyout", folder.appending(path: "server.key").path,
      "-out", folder.appending(path: "server.pem").path)
  }

  private func request(_ words: String...) throws {
    let result = try sandbox.run(
      [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
        "-nodes", "-days", "2",
      ] + words)
    guard result.status == 0 else { throw ProgramFailure(description: result.errors) }
  }
}
