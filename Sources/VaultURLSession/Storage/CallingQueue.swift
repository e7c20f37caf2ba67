import CDispatch

/// Who calls a storage, as far as the queue of the call tells.
///
/// FoundationNetworking says nothing of why it calls. What it does on which queue was seen on 6.3.1, and tests look at it again.
enum CallingQueue {
  /// A task of URLSession's: it looks credentials up there, and sets the one that was used after every success.
  case task
  /// Where `URLSession.reset()` lists and removes everything: Dispatch's own background queue.
  case background
  /// Any other: the app itself.
  case app

  static var current: CallingQueue {
    // The label of the queue that this runs on, which lives at least as long: a C string, never null.
    let label = unsafe String(cString: dispatch_queue_get_label(nil))
    if label == "com.apple.root.background-qos" { return .background }
    return names.contains(where: label.hasPrefix) ? .task : .app
  }

  /// How the labels of URLSession's queues begin, which all run on its one queue.
  ///
  /// A lookup was seen on the first, and a `set` on the first and on a task's own, one in nine.
  private static let names = ["MultiHandle.", "org.swift.URLSession", "URLSession<"]
}
