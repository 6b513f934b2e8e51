// SPDX-License-Identifier: GPL-2.0
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include "terminal.h"

/* second screen, no cursor; and back */
#define ENTER	"\033[?1049h\033[?25l"
#define LEAVE	"\033[?25h\033[?1049l"

static struct termios before;
static bool entered;

void terminal_leave(void)
{
	if (!entered)
		return;
	entered = false;
	fputs(LEAVE, stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

bool terminal_enter(void)
{
	struct termios raw;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	    tcgetattr(STDIN_FILENO, &before))
		return false;
	raw = before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	/* the shell would get the terminal as it is */
	raw.c_cc[VSUSP] = _POSIX_VDISABLE;
	raw.c_cc[VQUIT] = _POSIX_VDISABLE;
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	entered = true;
	atexit(terminal_leave);
	fputs(ENTER, stdout);
	return true;
}

void terminal_size(int *width, int *height)
{
	struct winsize size;

	*width = 80;
	*height = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return;
	*width = size.ws_col;
	*height = size.ws_row;
}

int terminal_key(void)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	char key;

	if (poll(&fd, 1, 0) <= 0 || read(STDIN_FILENO, &key, 1) != 1)
		return 0;
	return key;
}
