extension String {
  /// Returns whether both hold the same UTF-8 bytes; `==` takes canonically equivalent texts for
  /// equal.
  func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
