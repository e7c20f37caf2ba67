import Glibc

/// A list that narrows as one types: the entries that have every word that was typed, and which of
/// them is selected.
///
/// An entry is what people may type of it: its host, account, label and the like. Those that begin
/// with the first word come first; otherwise the order is the list's.
struct PickList {
  /// The entries' texts one after the other, folded, with a NUL before each text.
  private let bytes: [UInt8]
  /// Where each entry begins, and the end of the last.
  private let starts: [Int]
  /// The entries that match, in the order of the list.
  private var fitting: [Int]

  /// The text that was typed.
  private(set) var typed = ""
  /// The entries that match, best first.
  private(set) var matches: [Int]
  /// The selected one of the matches; 0 if there is none.
  private(set) var selection = 0

  /// - Parameter entries: The texts of each entry.
  init(_ entries: [[String]]) {
    var (bytes, starts) = ([UInt8](), [0])
    for entry in entries {
      for text in entry where !text.isEmpty {
        bytes.append(0)
        bytes.append(contentsOf: Self.folded(text))
      }
      starts.append(bytes.count)
    }
    (self.bytes, self.starts) = (bytes, starts)
    fitting = Array(entries.indices)
    matches = fitting
  }

  /// The number of entries.
  var count: Int { starts.count - 1 }

  /// The selected entry; nil if none matches.
  var selected: Int? { matches.isEmpty ? nil : matches[selection] }

  /// Leaves the entries that have each of the words of a text; selects the first.
  mutating func narrow(to text: String) {
    // More letters can only leave fewer.
    let candidates = text.hasPrefix(typed) ? fitting : Array(0..<count)
    typed = text
    let words = text.split(separator: " ").map { Self.folded(String($0)) }.filter { !$0.isEmpty }
    selection = 0
    guard let first = words.first else {
      fitting = candidates
      matches = candidates
      return
    }
    fitting = candidates.filter { entry in words.allSatisfy { has($0, entry) } }
    let start = [0] + first
    let begins = fitting.map { has(start, $0) }
    matches =
      zip(fitting, begins).filter(\.1).map(\.0) + zip(fitting, begins).filter { !$0.1 }.map(\.0)
  }

  /// Selects another match, this many further; the first and the last are the ends.
  mutating func move(by steps: Int) {
    selection = min(max(0, selection + steps), max(0, matches.count - 1))
  }

  // A NUL would go from one text into the next.
  private static func folded(_ text: String) -> [UInt8] { text.lowercased().utf8.filter { $0 > 0 } }

  /// Returns whether an entry has a text that is not empty.
  private func has(_ text: [UInt8], _ entry: Int) -> Bool {
    var (next, end) = (starts[entry], starts[entry + 1])
    // Both arrays are valid inside the closures, and what is read of them is within their counts.
    return unsafe bytes.withUnsafeBytes { (all: UnsafeRawBufferPointer) -> Bool in
      guard let base = all.baseAddress else { return false }
      end -= text.count
      while next <= end {
        let rest = unsafe base + next
        guard let found = unsafe memchr(rest, Int32(text[0]), end - next + 1) else { return false }
        if unsafe memcmp(found, text, text.count) == 0 { return true }
        next = unsafe UnsafeRawPointer(found) - base + 1
      }
      return false
    }
  }
}
