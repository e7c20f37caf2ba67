import Glibc
import SecureMemory
import VaultModel

/// The form of a random secret: characters of a set, or words.
struct GeneratedSecret: Sendable, Equatable {
  private enum Form: Sendable, Equatable {
    case characters([UInt8], count: Int)
    case words(count: Int)
  }

  private let form: Form

  /// 24 letters and digits, which every server takes: 142 bits.
  static let standard = GeneratedSecret(form: .characters(lettersAndDigits, count: 24))

  private init(form: Form) { self.form = form }

  /// The bits of entropy, rounded down.
  var entropy: Int {
    switch form {
    case .characters(let set, let count): Int(Double(count) * log2(Double(set.count)))
    case .words(let count): Int(Double(count) * log2(Double(EFFWords.count)))
    }
  }

  // MARK: Reading

  /// Reads the options of `generate`.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for numbers out of range, fewer than two
  ///   characters, and options that exclude each other.
  init(_ arguments: Arguments) throws(VaultError) {
    let length = try arguments.parsed(.length, as: Self.length)
    let set = try arguments.parsed(.alphabet, as: Self.set)
    if let words = try arguments.parsed(.words, as: Self.wordCount) {
      guard length == nil, set == nil, !arguments.has(.symbols), !arguments.has(.noAmbiguous) else {
        throw VaultError(.invalidArgument, "--words makes words, and the rest is for characters")
      }
      form = .words(count: words)
    } else {
      guard set == nil || !arguments.has(.symbols) else {
        throw VaultError(.invalidArgument, "--alphabet and --symbols exclude each other")
      }
      form = try Self.characters(
        length, set, hasSymbols: arguments.has(.symbols),
        hasAmbiguous: !arguments.has(.noAmbiguous))
    }
  }

  /// Reads the value of `--generate`: a number and words, such as `32,symbols` or `6,words`;
  /// nothing is the standard form.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument``; the text is not repeated, because it may be a
  ///   secret that was typed by mistake.
  init(specification: String) throws(VaultError) {
    guard !specification.isEmpty else {
      self = .standard
      return
    }
    var parts = specification.split(separator: ",", omittingEmptySubsequences: false)
      .map(String.init)
    let number = parts.first?.utf8.allSatisfy(\.isDigit) == true ? parts.removeFirst() : nil
    let isWrong = VaultError(
      .invalidArgument, "not like 32 or 32,symbols,no-ambiguous, or 6,words for words")
    guard parts.allSatisfy(["symbols", "no-ambiguous", "words"].contains),
      Set(parts).count == parts.count, parts != ["words", "words"]
    else { throw isWrong }
    if parts.contains("words") {
      guard parts.count == 1 else { throw isWrong }
      form = .words(count: try number.map(Self.wordCount) ?? Self.standardWordCount)
    } else {
      form = try Self.characters(
        number.map(Self.length), nil, hasSymbols: parts.contains("symbols"),
        hasAmbiguous: !parts.contains("no-ambiguous"))
    }
  }

  private static func characters(
    _ length: Int?, _ set: [UInt8]?, hasSymbols: Bool, hasAmbiguous: Bool
  ) throws(VaultError) -> Form {
    var set = set ?? (lettersAndDigits + (hasSymbols ? symbols : []))
    if !hasAmbiguous { set.removeAll(where: ambiguous.contains) }
    guard set.count > 1 else {
      throw VaultError(.invalidArgument, "--alphabet: fewer than two characters are left")
    }
    return .characters(set, count: length ?? 24)
  }

  private static func length(_ text: String) throws(VaultError) -> Int {
    guard let count = Int(text), (1...1024).contains(count) else {
      throw VaultError(.invalidArgument, "a length is a number from 1 to 1024")
    }
    return count
  }

  private static func wordCount(_ text: String) throws(VaultError) -> Int {
    guard let count = Int(text), (1...64).contains(count) else {
      throw VaultError(.invalidArgument, "a number of words is 1 to 64")
    }
    return count
  }

  /// Reads a set of characters, each of which counts once.
  private static func set(_ text: String) throws(VaultError) -> [UInt8] {
    guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw VaultError(.invalidArgument, "only the printable characters of ASCII")
    }
    return Set(text.utf8).sorted()
  }

  // MARK: Making

  /// The letters and digits of ASCII.
  private static let lettersAndDigits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
  /// The symbols of ASCII, without quotation marks, the grave accent and the backslash, which
  /// shells and configurations take for something else.
  private static let symbols = Array("!#$%&()*+,-./:;<=>?@[]^_{|}~".utf8)
  private static let ambiguous = Array("0O1lI|".utf8)

  static let standardWordCount = 6

  /// Makes a secret of this form.
  func make() -> Secret {
    switch form {
    case .characters(let set, let count):
      // Every index is below the count that was asked for.
      unsafe Secret(count: count) { buffer in
        for index in 0..<buffer.count { unsafe buffer[index] = Self.character(of: set) }
      }
    case .words(let count): Self.words(count)
    }
  }

  /// Makes words of EFF's list with hyphens between them.
  private static func words(_ count: Int) -> Secret {
    var length = 0
    // Room for as many of the longest words, and a hyphen after each.
    let room = unsafe Secret(count: count * (EFFWords.longest + 1)) { buffer in
      for index in 0..<count {
        if index > 0 {
          unsafe buffer[length] = UInt8(ascii: "-")
          length += 1
        }
        unsafe addWord(uniformChoice(below: EFFWords.count), to: buffer, at: &length)
      }
    }
    return room.prefix(length)
  }

  /// Adds a word of the list behind the bytes that there are.
  ///
  /// All of the list is read, because a single read would show in the processor's cache.
  private static func addWord(
    _ choice: Int, to buffer: UnsafeMutableRawBufferPointer, at length: inout Int
  ) {
    var (word, offset, added) = (0, 0, 0)
    // No word is longer than the room behind those that there are.
    for index in 0..<EFFWords.longest { unsafe buffer[length + index] = 0 }
    let text = EFFWords.text
    for index in 0..<text.utf8CodeUnitCount {
      // Below the count of a text that is never freed.
      let byte = unsafe text.utf8Start[index]
      guard byte != UInt8(ascii: " ") else {
        (word, offset) = (word + 1, 0)
        continue
      }
      // All ones in the chosen word, else zero.
      let mask = UInt8(truncatingIfNeeded: ((word ^ choice) &- 1) >> 63)
      unsafe buffer[length + offset] |= byte & mask
      added += Int(mask & 1)
      offset += 1
    }
    length += added
  }

  private static let consonants = Array("bdfghjklmnprstvz".utf8)
  private static let vowels = Array("aiou".utf8)

  /// Returns the made-up words that stand for bytes which are not secret, one for two bytes.
  static func words(for bytes: [UInt8]) -> String {
    stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      let number = Int(bytes[index]) << 8 | Int(bytes[index + 1])
      let letters = [
        consonants[number >> 12], vowels[number >> 10 & 3], consonants[number >> 6 & 15],
        vowels[number >> 4 & 3], consonants[number & 15],
      ]
      return String(decoding: letters, as: UTF8.self)
    }.joined(separator: "-")
  }

  /// Returns a random character of a set.
  ///
  /// Every character of the set is read, because a single read would show in the processor's cache.
  private static func character(of set: [UInt8]) -> UInt8 {
    let choice = uniformChoice(below: set.count)
    var result: UInt8 = 0
    for (index, character) in set.enumerated() {
      // All ones if they are equal, else zero.
      let mask = UInt8(truncatingIfNeeded: ((index ^ choice) &- 1) >> 63)
      result |= character & mask
    }
    return result
  }
}
