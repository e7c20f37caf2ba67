import VaultModel

/// The text of a question that Git or ssh puts to an askpass program.
///
/// It says what is asked, but not by whom: ``AskpassParent`` decides whether it is answered.
enum AskpassPrompt: Equatable {
  /// Asks for the user or the password at a place, as Git's credential protocol names it.
  case credential(isUser: Bool, Place)
  /// Asks for the password of a login.
  case login(user: String, host: String)
  /// Asks for the passphrase of a private key.
  case keyPassphrase(path: String)

  struct Place: Equatable {
    var networkProtocol: String
    var user: String?
    var host: String
    var path: String?
  }

  /// Reads a question; nil for all others, such as whether to trust a host's key.
  ///
  /// - Source: `credential_ask_one()` in Git's `credential.c`; `sshconnect2.c`, `readpass.c` and
  ///   `ssh-add.c` of OpenSSH.
  init?(_ text: String) {
    let prompt = text.trimmed
    if let url = prompt.between("Username for '", "':"), let place = Place(url: url) {
      self = .credential(isUser: true, place)
    } else if let url = prompt.between("Password for '", "':"), let place = Place(url: url) {
      self = .credential(isUser: false, place)
    } else if let path = prompt.between("Enter passphrase for key '", "':")
      ?? prompt.between("Enter passphrase for ", " (will confirm each use):")
      ?? prompt.between("Enter passphrase for ", ":"), path.hasPrefix("/")
    {
      self = .keyPassphrase(path: path)
      // Other questions of keyboard-interactive ask for a code that changes.
    } else if let login = prompt.between("", "'s password:") ?? prompt.between("(", ") Password:"),
      let (user, host) = Self.userAndHost(login)
    {
      self = .login(user: user, host: host)
    } else {
      return nil
    }
  }

  /// Reads `ann@shell.example.com`.
  private static func userAndHost(_ login: String) -> (user: String, host: String)? {
    guard let at = login.lastIndex(of: "@"), at > login.startIndex,
      !login.contains(where: \.isWhitespace)
    else { return nil }
    let host = String(login[login.index(after: at)...])
    return host.isEmpty ? nil : (String(login[..<at]), host)
  }
}

extension AskpassPrompt.Place {
  /// Reads `https://ann@git.example.com:8443/team.git`; nil if it is not a URL.
  ///
  /// The user ends at the last `@` before the path: Git before 2.48 does not encode the `@` of a
  /// mail address.
  fileprivate init?(url: String) {
    guard let end = url.firstRange(of: "://"), end.lowerBound > url.startIndex else { return nil }
    networkProtocol = String(url[..<end.lowerBound])
    let rest = url[end.upperBound...]
    var authority = rest.prefix { $0 != "/" }
    let tail = rest[authority.endIndex...].drop { $0 == "/" }
    // The same Git does not encode a slash in a user (CVE-2024-50349): the apparent host is then
    // part of the user, and the host follows this `@`.
    guard !tail.contains("@") else { return nil }
    if let at = authority.lastIndex(of: "@") {
      guard let decoded = Self.decoded(authority[..<at]) else { return nil }
      user = decoded
      authority = authority[authority.index(after: at)...]
    }
    guard let decodedHost = Self.decoded(authority), let decodedPath = Self.decoded(tail) else {
      return nil
    }
    host = decodedHost
    path = decodedPath.isEmpty ? nil : decodedPath
  }

  private static func decoded(_ text: Substring) -> String? {
    do throws(VaultError) {
      return String(validating: try PercentEncoding.decode(text.utf8, part: "url"), as: UTF8.self)
    } catch {
      // A user of old Git that has a percent sign in it is as it is.
      return String(text)
    }
  }
}

extension String {
  fileprivate var trimmed: String {
    String(reversed().drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace))
  }

  /// Returns the text between a prefix and a suffix; nil if either is missing.
  fileprivate func between(_ start: String, _ end: String) -> String? {
    guard hasPrefix(start), hasSuffix(end), count > start.count + end.count else { return nil }
    return String(dropFirst(start.count).dropLast(end.count))
  }
}
