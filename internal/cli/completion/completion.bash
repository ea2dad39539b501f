
# NAME needs no package bash-completion. These functions do what it would do.

# __NAME_words sets words, cword, cur and prev. Bash splits a word at = and :, so the parts that
# have no blank between them are joined again.
__NAME_words()
{
    local i part blank rest=$COMP_LINE over=0
    words=() cword=0
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        part=${COMP_WORDS[i]}
        blank=
        while [[ $rest == [[:blank:]]* ]]; do
            rest=${rest#?}
            blank=yes
        done
        rest=${rest#"$part"}
        if [[ ${#words[@]} -gt 1 && -z $blank && -n $part &&
            ($part != *[!=:]* || ${words[${#words[@]}-1]} == *[=:]) ]]; then
            words[${#words[@]}-1]+=$part
        else
            words+=("$part")
        fi
        if ((i == COMP_CWORD)); then
            cword=$((${#words[@]} - 1))
            over=$((${#COMP_LINE} - ${#rest} - COMP_POINT))
        fi
    done
    cur=${words[cword]-}
    if ((over > 0 && over <= ${#cur})); then # the cursor is inside of the word
        cur=${cur:0:${#cur}-over}
        words[cword]=$cur
    fi
    prev=
    if ((cword > 0)); then
        prev=${words[cword-1]}
    fi
}

# __NAME_filedir completes files, or with -d directories.
__NAME_filedir()
{
    if declare -F _filedir >/dev/null 2>&1; then
        _filedir "$@"
        return
    fi
    local name kind=-f
    if [[ ${1-} == -d ]]; then
        kind=-d
    fi
    while IFS='' read -r name; do
        COMPREPLY+=("$name")
    done < <(compgen $kind -- "$cur")
    compopt -o filenames 2>/dev/null
}
