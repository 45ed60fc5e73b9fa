# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Completion of tsw for bash. completion/tables.jq makes the tables after this part from the
# command's own help. The names of existing objects come from the switch; errors are not shown.

declare -gA _tsw_options _tsw_verbs _tsw_names _tsw_seconds _tsw_keys _tsw_kinds _tsw_choices

# _tsw_offer WORD...: offers the words that begin with the typed text. Names may have any character,
# so they are quoted, and never expanded.
_tsw_offer() {
	local word quoted

	for word in "$@"; do
		printf -v quoted %q "$word"
		[[ $quoted != "$cur"* ]] || COMPREPLY+=("$quoted")
	done
}

# _tsw_ask OBJECT [KEY VALUE]...: offers the names of the switch's objects.
_tsw_ask() {
	local name names

	mapfile -t names < <(timeout 2 "$tsw" "${asked[@]}" -j "$1" show "${@:2}" \
		2>/dev/null </dev/null | grep -oE '"name":"([^"\\]|\\.)*"' |
		sed -E 's/^"name":"(.*)"$/\1/; s/\\(.)/\1/g')
	for name in "${names[@]}"; do
		_tsw_offer "$name"
	done
}

_tsw_hosts() {
	_tsw_ask host
	_tsw_ask switch # this host
}

# Offers endpoints of the tenant that the line names; without one, all endpoints.
_tsw_endpoints() {
	local i

	for ((i = from; i < last; i++)); do
		[ "${words[i]}" != tenant ] || [ $((i + 1)) = "$last" ] ||
			{ _tsw_ask endpoint tenant "${words[i + 1]}" && return; }
	done
	_tsw_ask endpoint
}

# _tsw_groups COMMAND: offers groups of the tenant that the line names; without one, all groups.
_tsw_groups() {
	local i

	[[ $1 != policy* ]] || { _tsw_ask group "${words[from]}" && return; }
	for ((i = from; i < last; i++)); do
		[ "${words[i]}" != tenant ] || [ $((i + 1)) = "$last" ] ||
			{ _tsw_ask group "${words[i + 1]}" && return; }
	done
	_tsw_ask group
}

_tsw_files() {
	compopt -o filenames 2>/dev/null
	mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$cur")
}

_tsw_devices() {
	local names

	if [ -n "$netns" ]; then
		mapfile -t names < <(ip -n "$netns" -o link 2>/dev/null |
			sed -E 's/^[0-9]+: ([^:@]+).*/\1/')
	else
		mapfile -t names < <(cd /sys/class/net 2>/dev/null && printf '%s\n' *)
	fi
	_tsw_offer "${names[@]}"
}

_tsw_entries() { # DIR: the names in there
	local names

	mapfile -t names < <(cd "$1" 2>/dev/null && printf '%s\n' *)
	[ "${names[*]}" = '*' ] || _tsw_offer "${names[@]}"
}

_tsw_option_value() { # LETTER
	case ${_tsw_options[$1]-} in
	NETNS)
		case $cur in */*) _tsw_files ;; *) _tsw_entries /run/netns ;; esac
		;;
	FILE) _tsw_files ;;
	NAME) _tsw_entries /sys/fs/bpf/tsw ;;
	esac
}

# Offers values for the name, which follows the verb without a key.
_tsw_name() { # COMMAND
	case $1:${_tsw_names[$1]#* } in
	group*:TENANT | policy*:TENANT) _tsw_ask tenant ;;
	*' add:NAME') ;; # a new one
	tenant*:NAME | *:TENANT) _tsw_ask tenant ;;
	host*:NAME) _tsw_ask host ;;
	endpoint*:NAME | *:ENDPOINT) _tsw_endpoints ;;
	*:FILE) _tsw_files ;;
	esac
}

_tsw_value() { # COMMAND KEY
	local choices

	read -ra choices <<<"${_tsw_choices[$1 $2]-}"
	case $2:${_tsw_kinds[$1 $2]-} in
	*:choice | *:who) _tsw_offer "${choices[@]}" ;;
	*:group) _tsw_groups "$1" && _tsw_offer none ;;
	*:device) _tsw_devices ;;
	tenant:* | with:*) _tsw_ask tenant ;;
	endpoint:* | from:*) _tsw_endpoints ;;
	to:target) ;; # an address and port
	to:*) _tsw_endpoints ;;
	host:* | backup:* | name:*) _tsw_hosts ;;
	load:* | write:* | known:*) _tsw_files ;;
	*) _tsw_offer "${choices[@]}" ;; # auto
	esac
}

# Completes the words after the verb, which begin at words[from].
_tsw_arguments() { # COMMAND
	local command=$1 i=$from key keys=() given=' '

	case ${_tsw_names[$command]%% *} in
	must)
		[ "$i" != "$last" ] || { _tsw_name "$command" && return; }
		i=$((i + 1))
		;;
	may)
		[ "$i" != "$last" ] || _tsw_name "$command"
		[[ $i != "$last" && -z ${_tsw_kinds[$command ${words[i]}]-} ]] && i=$((i + 1))
		;;
	esac
	# Behind a tenant's name that of something that it has, or is to have.
	if [[ $i -gt $from && -n ${_tsw_seconds[$command]-} ]]; then
		[ "${_tsw_seconds[$command]}" != several ] || return
		if [ "$i" = "$last" ]; then
			[[ $command == *' add' ]] || _tsw_ask "${command% *}" "${words[from]}"
			return
		fi
		i=$((i + 1))
	fi
	while [ "$i" -lt "$last" ]; do
		key=${words[i]}
		given+="$key "
		[ "${_tsw_kinds[$command $key]-}" != flag ] || { i=$((i + 1)) && continue; }
		# `from group web`: what it is, and which.
		if [[ "${_tsw_kinds[$command $key]-} ${words[i + 1]-}" =~ ^'who '(group|cidr)$ ]]; then
			[ $((i + 1)) != "$last" ] || { _tsw_value "$command" "$key" && return; }
			[ "${words[i + 1]}$((i + 2))" != "group$last" ] ||
				{ _tsw_groups "$command" && return; }
			[ $((i + 2)) != "$last" ] || return
			i=$((i + 3))
			continue
		fi
		[ $((i + 1)) != "$last" ] || { _tsw_value "$command" "$key" && return; }
		i=$((i + 2))
	done
	for key in ${_tsw_keys[$command]-}; do
		# A key with a + may be given again.
		[[ $key != *+ && $given == *" $key "* ]] || keys+=("${key%+}")
	done
	_tsw_offer "${keys[@]}"
}

# Completes the words after the options: object, verb, and their arguments.
_tsw_command() {
	local object=${words[from]} command verbs

	if [ "$from" = "$last" ]; then
		_tsw_offer "${!_tsw_verbs[@]}" help
		return
	fi
	[ -n "${_tsw_verbs[$object]+known}" ] || return
	command=$object
	from=$((from + 1))
	if [ -n "${_tsw_verbs[$object]-}" ]; then
		read -ra verbs <<<"${_tsw_verbs[$object]-}"
		[ "$from" != "$last" ] || _tsw_offer "${verbs[@]}" help
		# Some objects need no verb.
		if [[ -z ${_tsw_names[$object]-} || " ${verbs[*]} " == *" ${words[from]} "* ]]; then
			[ "$from" != "$last" ] || return
			command="$object ${words[from]}"
			from=$((from + 1))
		fi
	fi
	[ -z "${_tsw_names[$command]-}" ] || _tsw_arguments "$command"
}

# Removes from the replies what precedes the last : = or @, where readline begins a new word.
_tsw_trim() {
	local head=${cur%"${cur##*[:=@]}"} i

	[[ -n $head && $COMP_WORDBREAKS == *"${head: -1}"* ]] || return
	for i in "${!COMPREPLY[@]}"; do
		COMPREPLY[i]=${COMPREPLY[i]#"$head"}
	done
}

# _tsw_with_value -jnRED: prints the first of these options that takes a value, and what follows it.
_tsw_with_value() {
	local rest=${1#-}

	[[ $rest != -* ]] || return 0
	while [[ -n $rest && -z ${_tsw_options[${rest:0:1}]-} ]]; do
		rest=${rest:1}
	done
	echo "$rest"
}

_tsw() {
	local words cur tsw=${COMP_WORDS[0]} last from=1 netns='' asked=() option letters

	COMPREPLY=()
	# readline breaks words at colons; tsw does not.
	read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
	case ${COMP_LINE:0:COMP_POINT} in *[[:space:]]) words+=('') ;; esac
	last=$((${#words[@]} - 1)) cur=${words[-1]}
	while [[ $from -lt $last && ${words[from]} == -?* ]]; do
		option=$(_tsw_with_value "${words[from]}")
		from=$((from + 1))
		[ -n "$option" ] || continue
		if [ ${#option} = 1 ]; then
			[ "$from" != "$last" ] || { _tsw_option_value "$option" && return; }
			option+=${words[from]}
			from=$((from + 1))
		fi
		case $option in
		n*) netns=${option#n} asked+=(-n "$netns") ;;
		i*) asked+=(-i "${option#i}") ;;
		b*) return ;; # all commands are in the file
		esac
	done
	if [[ $from == "$last" && $cur == -* ]]; then
		letters=("${!_tsw_options[@]}")
		_tsw_offer "${letters[@]/#/-}"
	else
		_tsw_command
	fi
	_tsw_trim
}

complete -F _tsw tsw
