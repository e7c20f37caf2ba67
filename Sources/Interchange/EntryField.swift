/// A field of an entry, as `--map COLUMN=FIELD` names it.
package enum EntryField: String, CaseIterable, Sendable {
  case title
  case url
  case account
  case password
  case realm
  case comment
  case folder
  case tags
  case created
  case modified
  case expires
  /// The key of one-time passwords, which is left out with a remark.
  case oneTimePassword = "otp"
  /// A further field under the name of its column.
  case custom
  case ignored = "none"
}
