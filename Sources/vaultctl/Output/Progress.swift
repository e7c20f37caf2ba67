import Glibc
import VaultModel
import VaultTerminal

/// A bar on a terminal for work that takes more than half a second; nothing is shown elsewhere.
///
/// Both ``clear()`` and an error that ends the work erase it, so that no other message follows it
/// on its line.
final class Progress {
  private static let width = 30
  private static let patience = Duration.milliseconds(500)

  private let title: String
  private let isShown: Bool
  private let start = ContinuousClock.now
  private var shownPercent = -1

  /// - Parameters:
  ///   - title: What is being done: `re-encrypting`.
  ///   - isQuiet: Shows nothing at all.
  init(_ title: String, isQuiet: Bool) {
    self.title = title
    isShown = !isQuiet && isatty(STDERR_FILENO) == 1
  }

  deinit { clear() }

  /// Shows the share that is done, 0 to 1.
  func update(_ share: Double) {
    let percent = Int(share * 100)
    guard isShown, percent != shownPercent, ContinuousClock.now - start > Self.patience else {
      return
    }
    shownPercent = percent
    let full = Int(share * Double(Self.width))
    let bar = String(repeating: "#", count: full) + String(repeating: ".", count: Self.width - full)
    write("\r\(title) [\(bar)] \(percent) %")
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
