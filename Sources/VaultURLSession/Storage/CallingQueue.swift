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
    switch unsafe String(cString: dispatch_queue_get_label(nil)) {
    case "MultiHandle.isolation": .task
    case "com.apple.root.background-qos": .background
    default: .app
    }
  }
}
