import SecureMemory

/// The Swift of an article, whose `print` a test reads.
protocol PrintingArticle {
  var printed: PrintedLines { get }
}

extension PrintingArticle {
  /// Takes the place of the standard library's function in the article's snippets.
  func print(_ values: Any...) {
    printed.append(values.map { "\($0)" }.joined(separator: " "))
  }
}

/// The lines that snippets have printed.
final class PrintedLines: Sendable {
  private let lines = Lock<[String]>([])

  func append(_ line: String) { lines.withLock { $0.append(line) } }

  /// Returns the lines since the last time.
  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}
