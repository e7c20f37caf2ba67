/* Which system this is: none of Apple's, whose names a program may ask for. */
#ifndef VAULT_COMPAT_TARGETCONDITIONALS_H
#define VAULT_COMPAT_TARGETCONDITIONALS_H

#define TARGET_OS_LINUX 1
#define TARGET_OS_MAC 0
#define TARGET_OS_OSX 0
#define TARGET_OS_IPHONE 0
#define TARGET_OS_IOS 0
#define TARGET_OS_WATCH 0
#define TARGET_OS_TV 0
#define TARGET_OS_SIMULATOR 0
#define TARGET_OS_MACCATALYST 0

#endif
