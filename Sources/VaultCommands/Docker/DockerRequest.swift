import Interchange
import SecureMemory
import VaultModel

/// The input of Docker's helper: a credential as JSON, or a server as it is.
///
/// - Source: the program interface of docker-credential-helpers, `credentials/credentials.go`.
struct DockerRequest: Sendable {
  let server: DockerServer
  let user: String
  let secret: Secret

  /// Reads the credential to store; absent members and `null` are empty, unknown ones are ignored.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` in Docker's words without a server or user;
  ///   ``VaultError/Code/invalidData`` for anything but one JSON object of texts.
  init(_ input: Secret) throws(VaultError) {
    var (server, user, secret) = ("", "", Secret(""))
    let json = JSONReader(ByteSource(input))
    while let name = try json.nextMember() {
      if try json.isNull() { continue }
      switch name {
      case "ServerURL": server = try json.string()
      case "Username": user = try json.string()
      case "Secret": secret = try json.secret()
      default: try json.skip()
      }
    }
    guard !server.isEmpty else { throw Self.noServer }
    guard !user.isEmpty else { throw VaultError(.missingInput, "no credentials username") }
    self.server = DockerServer(server)
    self.user = user
    self.secret = secret
  }

  /// Reads the server to get or erase, without the blanks around it.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` in Docker's words if it is empty;
  ///   ``VaultError/Code/itemNotFound`` if it is not UTF-8, as every item's is.
  static func server(_ input: Secret) throws(VaultError) -> DockerServer {
    let text = input.withRawBytes { bytes in
      // The bytes are valid inside the closure, and copied.
      unsafe bytes.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
    }
    guard let text else { throw notFound }
    let blanks: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace }
    var rest = text.unicodeScalars.drop(while: blanks)
    while let last = rest.last, blanks(last) { rest.removeLast() }
    guard !rest.isEmpty else { throw noServer }
    return DockerServer(String(rest))
  }

  // Docker compares these texts.
  private static let noServer = VaultError(.missingInput, "no credentials server URL")
  static let notFound = VaultError(.itemNotFound, "credentials not found in native keychain")
}
