import HTTPAuthentication
import HTTPChallenge
import SecureMemory
import TestSupport
import VaultModel

extension ResponseHead {
  /// Returns a 401 with these challenges, a field each.
  static func challenge(_ values: String...) -> ResponseHead {
    ResponseHead(status: 401, fields: values.map { Field("WWW-Authenticate", $0) })
  }

  /// Returns a 407 with these challenges, a field each.
  static func proxyChallenge(_ values: String...) -> ResponseHead {
    ResponseHead(status: 407, fields: values.map { Field("Proxy-Authenticate", $0) })
  }

  /// Returns a response that is not a challenge.
  static func status(_ status: Int, info: String? = nil, proxyInfo: String? = nil) -> ResponseHead {
    let fields = [
      info.map { Field("Authentication-Info", $0) },
      proxyInfo.map { Field("Proxy-Authentication-Info", $0) },
    ]
    return ResponseHead(status: status, fields: fields.compactMap { $0 })
  }
}

extension RequestHead {
  /// Returns a request for a URL.
  static func get(_ url: String, through proxy: Proxy? = nil) throws -> RequestHead {
    try RequestHead(url: RequestURL(url), proxy: proxy)
  }
}

extension Credential {
  /// Returns a credential that tests log in with.
  static func of(_ user: String, _ password: String = "right") -> Credential {
    Credential(user: user, secret: Secret(password), persistence: .none)
  }
}

extension AuthorizationField {
  /// The parameters, without their quotes; a test's values have neither quotes nor commas within.
  var parameters: [String: String] {
    let text = String(decoding: value.array, as: UTF8.self)
    let pairs = text.split(separator: " ", maxSplits: 1).last?.split(separator: ",") ?? []
    return pairs.reduce(into: [:]) { parameters, pair in
      let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { return }
      parameters[String(parts[0])] = String(parts[1].replacing("\"", with: ""))
    }
  }

  /// The count of a Digest response; nil unless it is 8 hexadecimal digits.
  var count: UInt32? {
    parameters["nc"].flatMap { $0.utf8.count == 8 ? UInt32($0, radix: 16) : nil }
  }

  /// Returns the proof that a server which knows the password sends back: as the response, for no
  /// method.
  ///
  /// - Source: RFC 7616 §3.5.
  func proof(
    of challenge: DigestChallenge, _ credential: Credential
  ) throws -> String {
    let sent = parameters
    let response = try DigestResponse(
      to: challenge, nonce: sent["nonce"] ?? "", clientNonce: sent["cnonce"] ?? "",
      count: count ?? 0, credential: credential, method: "", uri: sent["uri"] ?? "")
    let field = AuthorizationField(isProxy: false, value: response.value)
    return field.parameters["response"] ?? ""
  }
}
