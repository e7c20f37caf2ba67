/// The path of a request, which decides between items that name a path.
///
/// An item that names a path applies to that path and everything below it, by whole segments:
/// `private` covers `/private` and `/private/x`, never `/privateer`. Case counts, and slashes at
/// its beginning and end do not. The item with the longest such path is preferred, and an item
/// without a path comes last.
///
/// Servers do not agree on every path: some decode `%2F`, some drop a second slash or the text
/// after a `;`, and then resolve the resulting dot segments. So a path is read only up to the point
/// where all servers read it alike. If one of them could go up from there, only items without a
/// path apply. In doubt no secret is sent, rather than the wrong one.
///
/// - Source: RFC 3986 §§5.2.4 and 6.2.2 for dot segments and percent-encoding.
public struct RequestPath: Hashable, Sendable {
  /// The segments that all servers read alike, decoded, each followed by a slash; nil if no path is
  /// known.
  private let known: [UInt8]?
  /// The text that an item's path may equal literally.
  private let literal: ByteText?

  /// An unknown path: an item of any path may apply, and one without a path is preferred.
  public static let unknown = RequestPath(known: nil, literal: nil)

  /// The path of a whole server, to which only items without a path, or with `/`, apply.
  public static let root = RequestPath(known: [], literal: nil)

  private init(known: [UInt8]?, literal: ByteText?) {
    self.known = known
    self.literal = literal
  }

  /// Takes the target of an HTTP request: path and perhaps query, percent-encoded as it is sent.
  public init(target: String) {
    self.init(encoded: target.utf8, literal: nil)
  }

  /// Takes a path that is already decoded, and perhaps a query, as Git has them.
  ///
  /// An item with exactly this text is preferred to all others. Nothing shows whether a slash in it
  /// was encoded, so dot segments in it are not resolved.
  public init(decoded path: String) {
    literal = ByteText(text: path)
    if let names = Self.names(path) {
      known = names
    } else {
      let parts = Self.parts(path.utf8).map { Part($0, isEncoded: false) }
      known = Self.mayLeadUp(path.utf8) ? [] : Self.joined(parts.prefix { $0.kind == .name })
    }
  }

  /// Takes the part of a URL between its authority and its end; `literal` is the text that an item
  /// may have for it.
  init(encoded target: some Collection<UInt8>, literal: String?) {
    self.literal = literal.map { ByteText(text: $0) }
    let path = target.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    if let plain = Self.plain(path) {
      known = plain
      return
    }
    let parts = Self.parts(path).map { Part($0, isEncoded: true) }
    if !parts.contains(where: { $0.kind == .unclear }) {
      known = Self.joined(Self.withoutDots(parts)[...])
    } else {
      known = Self.mayLeadUp(path) ? [] : Self.joined(parts.prefix { $0.kind == .name })
    }
  }

  /// Returns how well an item's path fits: 0 without one, more for a longer one; nil if the item
  /// does not apply to this request.
  package func depth(of itemPath: String) -> Int? {
    guard let known else { return itemPath.isEmpty ? 1 : 0 }
    guard !itemPath.isEmpty else { return 0 }
    if let literal, literal.text.hasSameBytes(as: itemPath) { return Self.literalDepth }
    guard let item = Self.plain(itemPath.utf8) ?? Self.names(itemPath), known.starts(with: item)
    else { return nil }
    return item.count { $0 == UInt8(ascii: "/") } + 1
  }

  /// Returns the names of a decoded path; nil if one of its segments is anything else.
  private static func names(_ path: String) -> [UInt8]? {
    let parts = parts(path.utf8).map { Part($0, isEncoded: false) }
    return parts.allSatisfy { $0.kind == .name } ? joined(parts[...]) : nil
  }

  /// Returns the common parent of both, the path for a credential that may be sent to either.
  package func common(with other: RequestPath) -> RequestPath {
    guard let known, let theirs = other.known else { return .unknown }
    let same = zip(known, theirs).prefix { $0 == $1 }.map(\.0)
    let end = same.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    return RequestPath(known: Array(same[..<end]), literal: nil)
  }

  /// More than the segments of any path that an item can have.
  private static let literalDepth = Item.longestText + 2

  /// Returns the segments between slashes, without the slashes at the beginning and end.
  private static func parts(_ path: some Collection<UInt8>) -> [ArraySlice<UInt8>] {
    let slash = UInt8(ascii: "/")
    var bytes = Array(path)[...]
    if bytes.first == slash { bytes.removeFirst() }
    if bytes.last == slash { bytes.removeLast() }
    guard !bytes.isEmpty else { return [] }
    return bytes.split(separator: slash, omittingEmptySubsequences: false)
  }

  /// Returns a path that needs no decoding or resolving, with a slash at its end; nil for any
  /// other.
  ///
  /// Most paths are such, and that of every request is read.
  private static func plain(_ path: some Collection<UInt8>) -> [UInt8]? {
    let slash = UInt8(ascii: "/")
    var bytes: [UInt8] = []
    bytes.reserveCapacity(path.count + 1)
    var before = slash
    for byte in path.first == slash ? path.dropFirst() : path[...] {
      let isStart = before == slash
      switch byte {
      case slash, UInt8(ascii: "."):
        if isStart { return nil }
      case UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: "?"),
        UInt8(ascii: "#"):
        return nil
      case 0x21...0x7E: break
      default: return nil
      }
      bytes.append(byte)
      before = byte
    }
    if before != slash { bytes.append(slash) }
    return bytes
  }

  private static func joined(_ parts: ArraySlice<Part>) -> [UInt8] {
    parts.flatMap { $0.bytes + [UInt8(ascii: "/")] }
  }

  /// Resolves dot segments.
  ///
  /// - Source: RFC 3986 §5.2.4.
  private static func withoutDots(_ parts: [Part]) -> [Part] {
    var rest: [Part] = []
    for part in parts {
      switch part.kind {
      case .parent: _ = rest.popLast()
      case .same: break
      case .name, .unclear: rest.append(part)
      }
    }
    return rest
  }

  /// Returns the bytes after decoding once; nil if there is nothing to decode.
  private static func decodedOnce(_ bytes: [UInt8]) -> [UInt8]? {
    var decoded: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2).compactMap(\.hexadecimalValue)
      if byte == UInt8(ascii: "%"), digits.count == 2 {
        decoded.append(digits[0] << 4 | digits[1])
        rest.removeFirst(2)
      } else {
        decoded.append(byte)
      }
    }
    return decoded.count < bytes.count ? decoded : nil
  }

  /// Returns whether some server could find a dot segment in the path: by decoding repeatedly, by
  /// splitting segments at other characters, or by dropping dots and blanks at their ends.
  private static func mayLeadUp(_ path: some Collection<UInt8>) -> Bool {
    var bytes = Array(path)
    while let decoded = decodedOnce(bytes) { bytes = decoded }
    // Some server reads `%u002e` as a dot.
    let hasWideEscape = zip(bytes, bytes.dropFirst()).contains {
      $0 == UInt8(ascii: "%") && $1.lowercasedASCII == UInt8(ascii: "u")
    }
    // An overlong dot is not valid UTF-8.
    guard !hasWideEscape, String(validating: bytes, as: UTF8.self) != nil else { return true }
    return bytes.split { $0.isControl || "/\\;?#".utf8.contains($0) }
      .contains { $0.allSatisfy { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: " ") } }
  }
}

/// A segment between two slashes of a path.
private struct Part {
  enum Kind {
    case name
    /// `.`
    case same
    /// `..`
    case parent
    /// A segment that servers read differently.
    case unclear
  }

  let kind: Kind
  let bytes: [UInt8]

  init(_ written: ArraySlice<UInt8>, isEncoded: Bool) {
    do throws(VaultError) {
      bytes = isEncoded ? try PercentEncoding.decode(written, part: "path") : Array(written)
    } catch {
      kind = .unclear
      bytes = []
      return
    }
    // Text that was not encoded cannot contain a slash; a `%` may be decoded once more.
    let isClear =
      String(validating: bytes, as: UTF8.self) != nil
      && !bytes.contains { $0.isControl || "/\\;?#%".utf8.contains($0) }
      && !bytes.allSatisfy { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: " ") }
    kind =
      if isClear {
        .name
      } else if bytes.elementsEqual(".".utf8) {
        .same
      } else {
        bytes.elementsEqual("..".utf8) ? .parent : .unclear
      }
  }
}
