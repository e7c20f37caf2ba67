import CDispatch

/// The caller of a storage, as far as the call's queue shows it.
///
/// FoundationNetworking does not say why it calls. Its use of queues was observed on 6.3.1, and
/// tests check it again.
enum CallingQueue {
  /// A URLSession task, which looks up credentials, and sets the used one after every success.
  case task
  /// The queue on which `URLSession.reset()` lists and removes everything: Dispatch's own
  /// background queue.
  case background
  /// Any other queue: the app itself.
  case app

  static var current: CallingQueue {
    // The label of the queue that this runs on, which lives at least as long: a C string, never
    // null.
    let label = unsafe String(cString: dispatch_queue_get_label(nil))
    if label == "com.apple.root.background-qos" { return .background }
    return names.contains(where: label.hasPrefix) ? .task : .app
  }

  /// The prefixes of the labels of URLSession's queues, which all target its one queue.
  ///
  /// Lookups were seen on the first, and `set` on the first and on a task's own, one in nine.
  private static let names = ["MultiHandle.", "org.swift.URLSession", "URLSession<"]
}
