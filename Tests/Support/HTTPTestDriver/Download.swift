import CredentialVault
import HTTPAuthentication
import SecureMemory
import VaultModel

/// Downloads a page twice from a server in this process, whose user is ann; prompts the user of the
/// terminal.
///
/// - Returns: The two statuses, and how often the server was asked for each.
func download(_ password: Secret) async throws -> String {
  let authenticator = Authenticator(vault: .inMemory(), prompt: TerminalPrompt())
  let request = RequestHead(url: try RequestURL("http://www.example.com/page"))
  var said: [String] = []
  for _ in 1...2 {
    var sent = 0
    let (status, outcome) = try await authenticator.send(request) { fields in
      sent += 1
      let isRight = try fields.contains { try isBasic($0, "ann", password) }
      let response = ResponseHead(
        status: isRight ? 200 : 401,
        fields: isRight ? [] : [.init("WWW-Authenticate", "Basic realm=\"Team Git\"")])
      return (response, response.status)
    }
    said.append("\(status) \(outcome.reason) after \(sent)")
  }
  return said.joined(separator: ", ")
}

/// Returns whether a field is the library's encoding of user and password; base64 is tested
/// elsewhere.
private func isBasic(
  _ field: AuthorizationField, _ user: String, _ password: Secret
) throws(VaultError) -> Bool {
  let credential = Credential(user: user, secret: password, persistence: .none)
  return try field.value.isEqual(to: BasicResponse.value(credential))
}
