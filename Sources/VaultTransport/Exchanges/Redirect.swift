import HTTPAuthentication
import VaultModel

/// Redirects, by the rules of RFC 9110 §15.4 and of the Fetch standard's HTTP-redirect fetch.
extension TransportRequest {
  /// Returns the request that a response redirects to; nil if there is none, or it is not for HTTP.
  func redirected(by head: ResponseHead) -> TransportRequest? {
    guard [301, 302, 303, 307, 308].contains(head.status),
      let location = head.fields.first(where: { $0.name.hasSameBytesIgnoringCase(as: "Location") }),
      let target = Reference.resolve(location.value, against: url)
    else { return nil }
    var next = self
    if Self.becomesGET(method, after: head.status) {
      next.method = "GET"
      next.body = .none
      next.fields.removeAll {
        let name = $0.name.lowercasedASCII
        return name.hasPrefix("content-") || name == "transfer-encoding"
      }
    }
    return next.going(to: target, after: self)
  }

  /// Returns the request with another URL; what is bound to the origin of the request before does
  /// not go to another one.
  func going(to target: RequestURL, after previous: TransportRequest) -> TransportRequest {
    var next = self
    guard target.origin != previous.url.origin else {
      next.url = target.with(userInfoOf: previous.url)
      return next
    }
    next.url = target.withoutUserInfo
    (next.credential, next.user) = (nil, nil)
    next.fields.removeAll { field in
      Self.boundToOrigin.contains(field.name.lowercasedASCII)
        && previous.fields.contains {
          $0.name.hasSameBytesIgnoringCase(as: field.name) && $0.value.hasSameBytes(as: field.value)
        }
    }
    return next
  }

  /// Returns whether the request after a redirect is a plain GET, whatever the one before sent.
  package static func becomesGET(_ method: String, after status: Int) -> Bool {
    status == 303 ? method != "HEAD" : (status == 301 || status == 302) && method == "POST"
  }

  /// The fields that name one origin or log in there, in lower case.
  package static let boundToOrigin: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "host",
  ]
}

/// References to URLs, which may be relative.
enum Reference {
  /// Returns the URL that a reference means.
  ///
  /// - Returns: Nil if it is for neither `http` nor `https`, or cannot be requested.
  /// - Source: RFC 3986 §5.2.
  static func resolve(_ text: String, against base: RequestURL) -> RequestURL? {
    let reference = text.prefix { $0 != "#" }
    let whole: String
    if hasScheme(reference) {
      whole = normalized(String(reference))
    } else if reference.hasPrefix("//") {
      whole = normalized("\(base.scheme):\(reference)")
    } else {
      let (path, query) = split(base.target[...])
      let (newPath, newQuery) = split(reference)
      let target: String
      if newPath.isEmpty {
        target = path + (newQuery.isEmpty ? query : newQuery)
      } else if newPath.hasPrefix("/") {
        target = withoutDotSegments(newPath) + newQuery
      } else {
        let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        target = withoutDotSegments(folder + newPath) + newQuery
      }
      whole = "\(base.scheme)://\(base.authority)\(target)"
    }
    do throws(VaultError) {
      return try RequestURL(whole)
    } catch {
      return nil
    }
  }

  private static func hasScheme(_ text: Substring) -> Bool {
    guard let colon = text.firstIndex(of: ":"), let first = text.utf8.first, first.isLetter else {
      return false
    }
    return text[..<colon].utf8.allSatisfy {
      $0.isLetter || $0.isDigit || "+-.".utf8.contains($0)
    }
  }

  /// Returns an absolute URL without dot segments.
  private static func normalized(_ text: String) -> String {
    guard let authority = text.firstRange(of: "://")?.upperBound,
      let slash = text[authority...].firstIndex(where: { $0 == "/" || $0 == "?" })
    else { return text }
    let (path, query) = split(text[slash...])
    return text[..<slash] + withoutDotSegments(path) + query
  }

  /// Splits a target before its query.
  private static func split(_ target: Substring) -> (path: String, query: String) {
    let path = target.prefix { $0 != "?" }
    return (String(path), String(target[path.endIndex...]))
  }

  /// Removes `.` and `..` (RFC 3986 §5.2.4).
  static func withoutDotSegments(_ path: String) -> String {
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        if kept.count > 1 { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return kept.joined(separator: "/")
  }
}
