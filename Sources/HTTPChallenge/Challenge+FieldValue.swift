import VaultModel

extension Challenge {
  /// The challenge as a field value; reading it gives the same challenge.
  public var fieldValue: String {
    switch self {
    case .basic(let challenge): challenge.fieldValue
    case .digest(let challenge): challenge.fieldValue
    case .unanswered(let challenge): challenge.fieldValue
    }
  }
}

extension BasicChallenge {
  fileprivate var fieldValue: String {
    var writer = FieldWriter(scheme: "Basic")
    writer.append("realm", quoted: realm)
    if isUTF8 { writer.append("charset", token: "UTF-8") }
    return writer.text
  }
}

extension DigestChallenge {
  /// The field value, with parameters quoted or not as RFC 7616 §3.3 requires.
  fileprivate var fieldValue: String {
    var writer = FieldWriter(scheme: "Digest")
    writer.append("realm", quoted: realm)
    if !domain.isEmpty { writer.append("domain", quoted: domain.joined(separator: " ")) }
    writer.append("nonce", quoted: nonce)
    if let opaque { writer.append("opaque", quoted: opaque) }
    if isStale { writer.append("stale", token: "true") }
    writer.append("algorithm", token: algorithm.name)
    if offersAuth { writer.append("qop", quoted: "auth") }
    if isUTF8 { writer.append("charset", token: "UTF-8") }
    if offersUserHash { writer.append("userhash", token: "true") }
    return writer.text
  }
}

extension UnansweredChallenge {
  fileprivate var fieldValue: String {
    var writer = FieldWriter(scheme: scheme)
    if !token.isEmpty { writer.append(token68: token) }
    for parameter in parameters { writer.append(parameter.name, quoted: parameter.value) }
    return writer.text
  }

  private var scheme: String {
    switch method {
    case .bearer: "Bearer"
    case .ntlm: "NTLM"
    case .negotiate: "Negotiate"
    default: method.rawValue
    }
  }
}
