import Glibc
package import VaultModel
import VaultTerminal

/// Messages on standard error: `vaultctl: error: …`, `vaultctl: hint: …`, in lower case.
///
/// A failure to write them cannot be reported.
enum Messages {
  static func error(_ error: VaultError) {
    write("vaultctl: error: \(error.text)")
  }

  static func warning(_ text: String) {
    write("vaultctl: warning: \(text)")
  }

  static func hint(_ text: String) {
    write("vaultctl: hint: \(text)")
  }

  /// Writes the items that an error is about, one a line.
  static func candidates(of error: VaultError) {
    for item in error.candidates { write("  " + ItemText.line(item)) }
  }

  private static func write(_ line: String) {
    do throws(VaultError) {
      try Descriptor.write(Printable.text(line) + "\n", to: STDERR_FILENO)
    } catch {
      return
    }
  }
}

/// Messages beside an answer: they follow everything written before, since both may go to one
/// terminal.
extension Invocation {
  /// Writes a warning.
  ///
  /// - Throws: ``VaultError/Code/inputOutput`` if the buffered output cannot be written to standard
  ///   output.
  package func warn(_ text: String) throws(VaultError) {
    try output.flush()
    Messages.warning(text)
  }

  /// Writes the next step to try.
  ///
  /// - Throws: As ``warn(_:)``.
  package func hint(_ text: String) throws(VaultError) {
    try output.flush()
    Messages.hint(text)
  }
}

extension Invocation {
  /// Says on a terminal that a list is empty; elsewhere it is empty.
  package func sayEmpty(_ text: String = "there is nothing to list") throws(VaultError) {
    if output.isTerminal, !isQuiet, !isJSON { try hint(text) }
  }
}

/// A bar on a terminal for work that takes more than half a second; nothing is shown elsewhere.
///
/// Both ``clear()`` and an error that ends the work erase it, so that no other message follows it
/// on its line.
final class Progress {
  private static let width = 30
  private static let delay = Duration.milliseconds(500)

  private let title: String
  private let isShown: Bool
  private let start = ContinuousClock.now
  private var shownPercent = -1
  private var shownLength = 0

  /// - Parameters:
  ///   - title: The work that is being done: `re-encrypting`.
  ///   - isQuiet: Shows nothing at all.
  init(_ title: String, isQuiet: Bool) {
    self.title = title
    isShown = !isQuiet && isatty(STDERR_FILENO) == 1
  }

  deinit { clear() }

  /// Shows the share that is done, 0 to 1, and the time that the rest takes at the same speed.
  func update(_ share: Double) {
    let percent = Int(share * 100)
    guard isShown, percent != shownPercent else { return }
    let elapsed = ContinuousClock.now - start
    guard elapsed > Self.delay else { return }
    shownPercent = percent
    let line = Self.line(title, share: share, after: elapsed)
    // Over what is longer from before.
    write("\r" + line + String(repeating: " ", count: max(0, shownLength - line.utf8.count)))
    shownLength = line.utf8.count
  }

  /// Returns the bar's line: `comparing [######........................] 20 %, 12s left`.
  static func line(_ title: String, share: Double, after elapsed: Duration) -> String {
    let full = Int(share * Double(width))
    let bar = String(repeating: "#", count: full) + String(repeating: ".", count: width - full)
    let line = "\(title) [\(bar)] \(Int(share * 100)) %"
    guard share > 0, share < 1 else { return line }
    let left = (elapsed * ((1 - share) / share)).components.seconds
    return "\(line), \(RememberedTime.span(UInt32(clamping: max(1, left)))) left"
  }

  /// Erases the bar.
  func clear() {
    guard shownPercent >= 0 else { return }
    shownPercent = -1
    // Erases to the end of the line.
    write("\r\u{1B}[K")
  }

  private func write(_ text: String) {
    do throws(VaultError) {
      try Descriptor.write(text, to: STDERR_FILENO)
    } catch {
      // Failing to show a bar stops nothing.
      return
    }
  }
}
